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
  %i26 = phi i64 [ 0, %entry ], [ %i27, %join38 ]
  %v28 = icmp slt i64 %i26, %v10
  br i1 %v28, label %inside24, label %after25
inside24:
  %v29 = mul i64 %i26, %v18
  %v30 = getelementptr i8, ptr %v2, i64 %v29
  %v31 = mul i64 %i26, %v20
  %v32 = getelementptr i8, ptr %v4, i64 %v31
  %v33 = mul i64 %i26, %v22
  %v34 = getelementptr i8, ptr %v6, i64 %v33
  %v35 = icmp sgt i64 %v8, 0
  br i1 %v35, label %then36, label %else37
then36:
  %v39 = sub i64 %v8, 15
  br label %head40
head40:
  %i43 = phi i64 [ 0, %then36 ], [ %i44, %inside41 ]
  %v45 = icmp slt i64 %i43, %v39
  br i1 %v45, label %inside41, label %after42
inside41:
  %v46 = getelementptr [4 x i8], ptr %v32, i64 %i43
  %v47 = load <4 x float>, ptr %v46, align 4
  %v48 = getelementptr [4 x i8], ptr %v34, i64 %i43
  %v49 = load <4 x float>, ptr %v48, align 4
  %v50 = fcmp ogt <4 x float> %v47, %v49
  %v51 = select <4 x i1> %v50, <4 x float> %v47, <4 x float> %v49
  %v52 = fmul <4 x float> %v51, splat (float 0x4000000000000000)
  %v53 = getelementptr [4 x i8], ptr %v30, i64 %i43
  store <4 x float> %v52, ptr %v53, align 4
  %v54 = add i64 %i43, 4
  %v55 = getelementptr [4 x i8], ptr %v32, i64 %v54
  %v56 = load <4 x float>, ptr %v55, align 4
  %v57 = getelementptr [4 x i8], ptr %v34, i64 %v54
  %v58 = load <4 x float>, ptr %v57, align 4
  %v59 = fcmp ogt <4 x float> %v56, %v58
  %v60 = select <4 x i1> %v59, <4 x float> %v56, <4 x float> %v58
  %v61 = fmul <4 x float> %v60, splat (float 0x4000000000000000)
  %v62 = getelementptr [4 x i8], ptr %v30, i64 %v54
  store <4 x float> %v61, ptr %v62, align 4
  %v63 = add i64 %i43, 8
  %v64 = getelementptr [4 x i8], ptr %v32, i64 %v63
  %v65 = load <4 x float>, ptr %v64, align 4
  %v66 = getelementptr [4 x i8], ptr %v34, i64 %v63
  %v67 = load <4 x float>, ptr %v66, align 4
  %v68 = fcmp ogt <4 x float> %v65, %v67
  %v69 = select <4 x i1> %v68, <4 x float> %v65, <4 x float> %v67
  %v70 = fmul <4 x float> %v69, splat (float 0x4000000000000000)
  %v71 = getelementptr [4 x i8], ptr %v30, i64 %v63
  store <4 x float> %v70, ptr %v71, align 4
  %v72 = add i64 %i43, 12
  %v73 = getelementptr [4 x i8], ptr %v32, i64 %v72
  %v74 = load <4 x float>, ptr %v73, align 4
  %v75 = getelementptr [4 x i8], ptr %v34, i64 %v72
  %v76 = load <4 x float>, ptr %v75, align 4
  %v77 = fcmp ogt <4 x float> %v74, %v76
  %v78 = select <4 x i1> %v77, <4 x float> %v74, <4 x float> %v76
  %v79 = fmul <4 x float> %v78, splat (float 0x4000000000000000)
  %v80 = getelementptr [4 x i8], ptr %v30, i64 %v72
  store <4 x float> %v79, ptr %v80, align 4
  %i44 = add i64 %i43, 16
  br label %head40
after42:
  %v81 = sub i64 %v8, 1
  br label %head82
head82:
  %i85 = phi i64 [ %i43, %after42 ], [ %i86, %inside83 ]
  %v87 = icmp slt i64 %i85, %v8
  br i1 %v87, label %inside83, label %after84
inside83:
  %v88 = call i64 @llvm.smin.i64(i64 %i85, i64 %v81)
  %v89 = add i64 %i85, 1
  %v90 = call i64 @llvm.smin.i64(i64 %v89, i64 %v81)
  %v91 = add i64 %i85, 2
  %v92 = call i64 @llvm.smin.i64(i64 %v91, i64 %v81)
  %v93 = add i64 %i85, 3
  %v94 = call i64 @llvm.smin.i64(i64 %v93, i64 %v81)
  %v95 = getelementptr [4 x i8], ptr %v32, i64 %v88
  %v96 = getelementptr [4 x i8], ptr %v32, i64 %v90
  %v97 = getelementptr [4 x i8], ptr %v32, i64 %v92
  %v98 = getelementptr [4 x i8], ptr %v32, i64 %v94
  %v99 = load float, ptr %v95, align 4
  %v100 = insertelement <4 x float> poison, float %v99, i32 0
  %v101 = load float, ptr %v96, align 4
  %v102 = insertelement <4 x float> %v100, float %v101, i32 1
  %v103 = load float, ptr %v97, align 4
  %v104 = insertelement <4 x float> %v102, float %v103, i32 2
  %v105 = load float, ptr %v98, align 4
  %v106 = insertelement <4 x float> %v104, float %v105, i32 3
  %v107 = getelementptr [4 x i8], ptr %v34, i64 %v88
  %v108 = getelementptr [4 x i8], ptr %v34, i64 %v90
  %v109 = getelementptr [4 x i8], ptr %v34, i64 %v92
  %v110 = getelementptr [4 x i8], ptr %v34, i64 %v94
  %v111 = load float, ptr %v107, align 4
  %v112 = insertelement <4 x float> poison, float %v111, i32 0
  %v113 = load float, ptr %v108, align 4
  %v114 = insertelement <4 x float> %v112, float %v113, i32 1
  %v115 = load float, ptr %v109, align 4
  %v116 = insertelement <4 x float> %v114, float %v115, i32 2
  %v117 = load float, ptr %v110, align 4
  %v118 = insertelement <4 x float> %v116, float %v117, i32 3
  %v119 = fcmp ogt <4 x float> %v106, %v118
  %v120 = select <4 x i1> %v119, <4 x float> %v106, <4 x float> %v118
  %v121 = fmul <4 x float> %v120, splat (float 0x4000000000000000)
  %v122 = getelementptr [4 x i8], ptr %v30, i64 %v88
  %v123 = getelementptr [4 x i8], ptr %v30, i64 %v90
  %v124 = getelementptr [4 x i8], ptr %v30, i64 %v92
  %v125 = getelementptr [4 x i8], ptr %v30, i64 %v94
  %v126 = extractelement <4 x float> %v121, i32 0
  store float %v126, ptr %v122, align 4
  %v127 = extractelement <4 x float> %v121, i32 1
  store float %v127, ptr %v123, align 4
  %v128 = extractelement <4 x float> %v121, i32 2
  store float %v128, ptr %v124, align 4
  %v129 = extractelement <4 x float> %v121, i32 3
  store float %v129, ptr %v125, align 4
  %i86 = add i64 %i85, 4
  br label %head82
after84:
  br label %join38
else37:
  br label %join38
join38:
  %i27 = add i64 %i26, 1
  br label %head23
after25:
  ret void
}
declare i64 @llvm.smin.i64(i64, i64)
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
  %i20 = phi i64 [ 0, %entry ], [ %i21, %join30 ]
  %v22 = icmp slt i64 %i20, %v8
  br i1 %v22, label %inside18, label %after19
inside18:
  %v23 = mul i64 %i20, %v14
  %v24 = getelementptr i8, ptr %v2, i64 %v23
  %v25 = mul i64 %i20, %v16
  %v26 = getelementptr i8, ptr %v4, i64 %v25
  %v27 = icmp sgt i64 %v6, 0
  br i1 %v27, label %then28, label %else29
then28:
  %v31 = sub i64 %v6, 3
  br label %head32
head32:
  %i35 = phi i64 [ 0, %then28 ], [ %i36, %inside33 ]
  %v37 = icmp slt i64 %i35, %v31
  br i1 %v37, label %inside33, label %after34
inside33:
  %v38 = mul i64 %i35, %v12
  %v39 = getelementptr i8, ptr %v26, i64 %v38
  %v40 = load i8, ptr %v39, align 1
  %v41 = sext i8 %v40 to i32
  %v42 = add i32 %v41, 1
  %v43 = mul i64 %i35, %v10
  %v44 = getelementptr i8, ptr %v24, i64 %v43
  store i32 %v42, ptr %v44, align 4
  %v45 = add i64 %i35, 1
  %v46 = mul i64 %v45, %v12
  %v47 = getelementptr i8, ptr %v26, i64 %v46
  %v48 = load i8, ptr %v47, align 1
  %v49 = sext i8 %v48 to i32
  %v50 = add i32 %v49, 1
  %v51 = mul i64 %v45, %v10
  %v52 = getelementptr i8, ptr %v24, i64 %v51
  store i32 %v50, ptr %v52, align 4
  %v53 = add i64 %i35, 2
  %v54 = mul i64 %v53, %v12
  %v55 = getelementptr i8, ptr %v26, i64 %v54
  %v56 = load i8, ptr %v55, align 1
  %v57 = sext i8 %v56 to i32
  %v58 = add i32 %v57, 1
  %v59 = mul i64 %v53, %v10
  %v60 = getelementptr i8, ptr %v24, i64 %v59
  store i32 %v58, ptr %v60, align 4
  %v61 = add i64 %i35, 3
  %v62 = mul i64 %v61, %v12
  %v63 = getelementptr i8, ptr %v26, i64 %v62
  %v64 = load i8, ptr %v63, align 1
  %v65 = sext i8 %v64 to i32
  %v66 = add i32 %v65, 1
  %v67 = mul i64 %v61, %v10
  %v68 = getelementptr i8, ptr %v24, i64 %v67
  store i32 %v66, ptr %v68, align 4
  %i36 = add i64 %i35, 4
  br label %head32
after34:
  br label %head69
head69:
  %i72 = phi i64 [ %i35, %after34 ], [ %i73, %inside70 ]
  %v74 = icmp slt i64 %i72, %v6
  br i1 %v74, label %inside70, label %after71
inside70:
  %v75 = mul i64 %i72, %v12
  %v76 = getelementptr i8, ptr %v26, i64 %v75
  %v77 = load i8, ptr %v76, align 1
  %v78 = sext i8 %v77 to i32
  %v79 = add i32 %v78, 1
  %v80 = mul i64 %i72, %v10
  %v81 = getelementptr i8, ptr %v24, i64 %v80
  store i32 %v79, ptr %v81, align 4
  %i73 = add i64 %i72, 1
  br label %head69
after71:
  br label %join30
else29:
  br label %join30
join30:
  %i21 = add i64 %i20, 1
  br label %head17
after19:
  ret void
}
""",
    )
