"""Expressions and kernels as text, for a target that is given."""

from expecttest import assert_expected_inline

from rushlight.engine.loops import expr, target
from rushlight.engine.loops.expr import Value, format_expression, select
from rushlight.engine.loops.map_kernel import map_ir

PLAIN = target.Target(vector_bytes=16, masks=False, half=False, fma=False)


def larger_twice(x: Value, y: Value) -> Value:
    return select(x > y, x, y) * 2


def test_an_expression() -> None:
    x, y = expr.arg(0, "f32"), expr.arg(1, "f32")
    assert_expected_inline(
        format_expression([larger_twice(x, y)]),
        """\
%0 = arg.f32 0
%1 = arg.f32 1
%2 = gt.bool %0, %1
%3 = select.f32 %2, %0, %1
%4 = const.f32 2.0
%5 = mul.f32 %3, %4""",
    )


def test_a_kernel_of_contiguous_operands() -> None:
    text = map_ir(larger_twice, ["f32"], ["f32", "f32"], ["f32", "f32"], "ccc", target=PLAIN)
    assert_expected_inline(
        text,
        """\
define void @KERNEL(ptr %data, ptr %sizes, ptr %strides) "reciprocal-estimates"="divf,vec-divf" {
entry:
  %v1 = getelementptr ptr, ptr %data, i64 0
  %v2 = load ptr, ptr %v1
  %v3 = getelementptr ptr, ptr %data, i64 1
  %v4 = load ptr, ptr %v3
  %v5 = getelementptr ptr, ptr %data, i64 2
  %v6 = load ptr, ptr %v5
  %v7 = getelementptr i64, ptr %sizes, i64 0
  %v8 = load i64, ptr %v7
  %v9 = getelementptr i64, ptr %sizes, i64 1
  %v10 = load i64, ptr %v9
  %v11 = getelementptr i64, ptr %strides, i64 0
  %v12 = load i64, ptr %v11
  %v13 = getelementptr i64, ptr %strides, i64 1
  %v14 = load i64, ptr %v13
  %v15 = getelementptr i64, ptr %strides, i64 2
  %v16 = load i64, ptr %v15
  %v17 = getelementptr i64, ptr %strides, i64 3
  %v18 = load i64, ptr %v17
  %v19 = getelementptr i64, ptr %strides, i64 4
  %v20 = load i64, ptr %v19
  %v21 = getelementptr i64, ptr %strides, i64 5
  %v22 = load i64, ptr %v21
  br label %head23
head23:
  %c24 = phi i64 [ 0, %entry ], [ %v109, %join36 ]
  %v25 = icmp slt i64 %c24, %v10
  br i1 %v25, label %inside26, label %after27
inside26:
  %v28 = mul i64 %c24, %v18
  %v29 = getelementptr i8, ptr %v2, i64 %v28
  %v30 = mul i64 %c24, %v20
  %v31 = getelementptr i8, ptr %v4, i64 %v30
  %v32 = mul i64 %c24, %v22
  %v33 = getelementptr i8, ptr %v6, i64 %v32
  %v34 = icmp sgt i64 %v8, 0
  br i1 %v34, label %then35, label %join36
then35:
  %v37 = sub i64 %v8, 15
  br label %head38
head38:
  %c39 = phi i64 [ 0, %then35 ], [ %v78, %inside41 ]
  %v40 = icmp slt i64 %c39, %v37
  br i1 %v40, label %inside41, label %after42
inside41:
  %v43 = getelementptr [4 x i8], ptr %v31, i64 %c39
  %v44 = load <4 x float>, ptr %v43, align 4
  %v45 = getelementptr [4 x i8], ptr %v33, i64 %c39
  %v46 = load <4 x float>, ptr %v45, align 4
  %v47 = fcmp ogt <4 x float> %v44, %v46
  %v48 = select <4 x i1> %v47, <4 x float> %v44, <4 x float> %v46
  %v49 = fmul <4 x float> %v48, splat (float 0x4000000000000000)
  %v50 = getelementptr [4 x i8], ptr %v29, i64 %c39
  store <4 x float> %v49, ptr %v50, align 4
  %v51 = add i64 %c39, 4
  %v52 = getelementptr [4 x i8], ptr %v31, i64 %v51
  %v53 = load <4 x float>, ptr %v52, align 4
  %v54 = getelementptr [4 x i8], ptr %v33, i64 %v51
  %v55 = load <4 x float>, ptr %v54, align 4
  %v56 = fcmp ogt <4 x float> %v53, %v55
  %v57 = select <4 x i1> %v56, <4 x float> %v53, <4 x float> %v55
  %v58 = fmul <4 x float> %v57, splat (float 0x4000000000000000)
  %v59 = getelementptr [4 x i8], ptr %v29, i64 %v51
  store <4 x float> %v58, ptr %v59, align 4
  %v60 = add i64 %c39, 8
  %v61 = getelementptr [4 x i8], ptr %v31, i64 %v60
  %v62 = load <4 x float>, ptr %v61, align 4
  %v63 = getelementptr [4 x i8], ptr %v33, i64 %v60
  %v64 = load <4 x float>, ptr %v63, align 4
  %v65 = fcmp ogt <4 x float> %v62, %v64
  %v66 = select <4 x i1> %v65, <4 x float> %v62, <4 x float> %v64
  %v67 = fmul <4 x float> %v66, splat (float 0x4000000000000000)
  %v68 = getelementptr [4 x i8], ptr %v29, i64 %v60
  store <4 x float> %v67, ptr %v68, align 4
  %v69 = add i64 %c39, 12
  %v70 = getelementptr [4 x i8], ptr %v31, i64 %v69
  %v71 = load <4 x float>, ptr %v70, align 4
  %v72 = getelementptr [4 x i8], ptr %v33, i64 %v69
  %v73 = load <4 x float>, ptr %v72, align 4
  %v74 = fcmp ogt <4 x float> %v71, %v73
  %v75 = select <4 x i1> %v74, <4 x float> %v71, <4 x float> %v73
  %v76 = fmul <4 x float> %v75, splat (float 0x4000000000000000)
  %v77 = getelementptr [4 x i8], ptr %v29, i64 %v69
  store <4 x float> %v76, ptr %v77, align 4
  %v78 = add i64 %c39, 16
  br label %head38
after42:
  %v79 = sub i64 %v8, 1
  %v80 = sub i64 %v8, 3
  br label %head81
head81:
  %c82 = phi i64 [ %c39, %after42 ], [ %v94, %inside84 ]
  %v83 = icmp slt i64 %c82, %v80
  br i1 %v83, label %inside84, label %after85
inside84:
  %v86 = getelementptr [4 x i8], ptr %v31, i64 %c82
  %v87 = load <4 x float>, ptr %v86, align 4
  %v88 = getelementptr [4 x i8], ptr %v33, i64 %c82
  %v89 = load <4 x float>, ptr %v88, align 4
  %v90 = fcmp ogt <4 x float> %v87, %v89
  %v91 = select <4 x i1> %v90, <4 x float> %v87, <4 x float> %v89
  %v92 = fmul <4 x float> %v91, splat (float 0x4000000000000000)
  %v93 = getelementptr [4 x i8], ptr %v29, i64 %c82
  store <4 x float> %v92, ptr %v93, align 4
  %v94 = add i64 %c82, 4
  br label %head81
after85:
  br label %head95
head95:
  %c96 = phi i64 [ %c82, %after85 ], [ %v108, %inside98 ]
  %v97 = icmp slt i64 %c96, %v8
  br i1 %v97, label %inside98, label %after99
inside98:
  %v100 = getelementptr [4 x i8], ptr %v31, i64 %c96
  %v101 = load float, ptr %v100, align 4
  %v102 = getelementptr [4 x i8], ptr %v33, i64 %c96
  %v103 = load float, ptr %v102, align 4
  %v104 = fcmp ogt float %v101, %v103
  %v105 = select i1 %v104, float %v101, float %v103
  %v106 = fmul float %v105, 0x4000000000000000
  %v107 = getelementptr [4 x i8], ptr %v29, i64 %c96
  store float %v106, ptr %v107, align 4
  %v108 = add i64 %c96, 1
  br label %head95
after99:
  br label %join36
join36:
  %v109 = add i64 %c24, 1
  br label %head23
after27:
  ret void
}
""",
    )


def test_a_kernel_of_any_strides() -> None:
    text = map_ir(lambda x: x + 1, ["i32"], ["i8"], ["i32"], "gg", target=PLAIN)
    assert_expected_inline(
        text,
        """\
define void @KERNEL(ptr %data, ptr %sizes, ptr %strides) "reciprocal-estimates"="divf,vec-divf" {
entry:
  %v1 = getelementptr ptr, ptr %data, i64 0
  %v2 = load ptr, ptr %v1
  %v3 = getelementptr ptr, ptr %data, i64 1
  %v4 = load ptr, ptr %v3
  %v5 = getelementptr i64, ptr %sizes, i64 0
  %v6 = load i64, ptr %v5
  %v7 = getelementptr i64, ptr %sizes, i64 1
  %v8 = load i64, ptr %v7
  %v9 = getelementptr i64, ptr %strides, i64 0
  %v10 = load i64, ptr %v9
  %v11 = getelementptr i64, ptr %strides, i64 1
  %v12 = load i64, ptr %v11
  %v13 = getelementptr i64, ptr %strides, i64 2
  %v14 = load i64, ptr %v13
  %v15 = getelementptr i64, ptr %strides, i64 3
  %v16 = load i64, ptr %v15
  br label %head17
head17:
  %c18 = phi i64 [ 0, %entry ], [ %v81, %join28 ]
  %v19 = icmp slt i64 %c18, %v8
  br i1 %v19, label %inside20, label %after21
inside20:
  %v22 = mul i64 %c18, %v14
  %v23 = getelementptr i8, ptr %v2, i64 %v22
  %v24 = mul i64 %c18, %v16
  %v25 = getelementptr i8, ptr %v4, i64 %v24
  %v26 = icmp sgt i64 %v6, 0
  br i1 %v26, label %then27, label %join28
then27:
  %v29 = sub i64 %v6, 3
  br label %head30
head30:
  %c31 = phi i64 [ 0, %then27 ], [ %v66, %inside33 ]
  %v32 = icmp slt i64 %c31, %v29
  br i1 %v32, label %inside33, label %after34
inside33:
  %v35 = mul i64 %c31, %v12
  %v36 = getelementptr i8, ptr %v25, i64 %v35
  %v37 = load i8, ptr %v36, align 1
  %v38 = sext i8 %v37 to i32
  %v39 = add i32 %v38, 1
  %v40 = mul i64 %c31, %v10
  %v41 = getelementptr i8, ptr %v23, i64 %v40
  store i32 %v39, ptr %v41, align 4
  %v42 = add i64 %c31, 1
  %v43 = mul i64 %v42, %v12
  %v44 = getelementptr i8, ptr %v25, i64 %v43
  %v45 = load i8, ptr %v44, align 1
  %v46 = sext i8 %v45 to i32
  %v47 = add i32 %v46, 1
  %v48 = mul i64 %v42, %v10
  %v49 = getelementptr i8, ptr %v23, i64 %v48
  store i32 %v47, ptr %v49, align 4
  %v50 = add i64 %c31, 2
  %v51 = mul i64 %v50, %v12
  %v52 = getelementptr i8, ptr %v25, i64 %v51
  %v53 = load i8, ptr %v52, align 1
  %v54 = sext i8 %v53 to i32
  %v55 = add i32 %v54, 1
  %v56 = mul i64 %v50, %v10
  %v57 = getelementptr i8, ptr %v23, i64 %v56
  store i32 %v55, ptr %v57, align 4
  %v58 = add i64 %c31, 3
  %v59 = mul i64 %v58, %v12
  %v60 = getelementptr i8, ptr %v25, i64 %v59
  %v61 = load i8, ptr %v60, align 1
  %v62 = sext i8 %v61 to i32
  %v63 = add i32 %v62, 1
  %v64 = mul i64 %v58, %v10
  %v65 = getelementptr i8, ptr %v23, i64 %v64
  store i32 %v63, ptr %v65, align 4
  %v66 = add i64 %c31, 4
  br label %head30
after34:
  %v67 = sub i64 %v6, 1
  br label %head68
head68:
  %c69 = phi i64 [ %c31, %after34 ], [ %v80, %inside71 ]
  %v70 = icmp slt i64 %c69, %v6
  br i1 %v70, label %inside71, label %after72
inside71:
  %v73 = mul i64 %c69, %v12
  %v74 = getelementptr i8, ptr %v25, i64 %v73
  %v75 = load i8, ptr %v74, align 1
  %v76 = sext i8 %v75 to i32
  %v77 = add i32 %v76, 1
  %v78 = mul i64 %c69, %v10
  %v79 = getelementptr i8, ptr %v23, i64 %v78
  store i32 %v77, ptr %v79, align 4
  %v80 = add i64 %c69, 1
  br label %head68
after72:
  br label %join28
join28:
  %v81 = add i64 %c18, 1
  br label %head17
after21:
  ret void
}
""",
    )
