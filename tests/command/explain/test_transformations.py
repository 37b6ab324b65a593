"""How `explain` shows a call that runs transformations."""

import expecttest

import rushlight as torch
from rushlight._command.explain.transformations import flow_text
from rushlight.func import functionalize, grad, vmap


class TestFlow(expecttest.TestCase):
    def test_gradients_of_a_batch(self):
        program = vmap(grad(lambda w, x: (w @ x).relu().sum()), in_dims=(None, 0))
        self.assertExpectedInline(
            flow_text(program, torch.ones(2, 3), torch.ones(5, 3)),
            """\
aten::matmul
  2 grad   (float32[2x3], float32[3]) -> float32[2]   records MvBackward0
  2 grad   mv(float32[2x3], float32[3]) -> float32[2]   records MvBackward0
  1 vmap   mv(float32[2x3], float32[3]) -> float32[2]   a rule of the family matrix
    calls  t(float32[2x3])
    calls  matmul(float32[5x3], float32[3x2] strides (1, 3))
    calls  mm(float32[5x3], float32[3x2] strides (1, 3))
aten::relu
  2 grad   (float32[2]) -> float32[2]   records ReluBackward0
  1 vmap   (float32[2]) -> float32[2]   derived: elementwise
    calls  relu(float32[5x2])
aten::sum
  2 grad   (float32[2]) -> float32[scalar]   records SumBackward0
  1 vmap   (float32[2]) -> float32[scalar]   derived: whole
    calls  reshape(float32[5x2], [5, 2])
    calls  view(float32[5x2], [5, 2])
    calls  sum.dim_IntList(float32[5x2], [1])
aten::ones_like
  2 grad   (float32[scalar]) -> float32[scalar]
  1 vmap   (float32[scalar]) -> float32[scalar]   derived: made_like
    calls  ones_like(float32[5])
the backward pass
aten::expand
  2 grad   (float32[scalar], [2]) -> float32[2] strides (0,)
  1 vmap   (float32[scalar], [2]) -> float32[2] strides (0,)   a rule of the family view
    calls  unsqueeze(float32[5], 1)
    calls  expand(float32[5x1], [5, 2])
rushlight::grad_relu_of_self
  2 grad   (float32[2] strides (0,), float32[2]) -> float32[2]
  1 vmap   (float32[2] strides (0,), float32[2]) -> float32[2]   derived: elementwise
    calls  grad_relu_of_self(float32[5x2] strides (1, 0), float32[5x2])
aten::ger
  2 grad   (float32[2], float32[3]) -> float32[2x3]
  2 grad   unsqueeze(float32[2], 1) -> float32[2x1]
  1 vmap   unsqueeze(float32[2], 1) -> float32[2x1]   a rule of the family view
    calls  unsqueeze(float32[5x2], 2)
  2 grad   mul.Tensor(float32[2x1], float32[3]) -> float32[2x3]
  1 vmap   mul.Tensor(float32[2x1], float32[3]) -> float32[2x3]   derived: elementwise
    calls  unsqueeze(float32[5x3], 1)
    calls  mul.Tensor(float32[5x2x1], float32[5x1x3])""",
        )

    def test_changes_in_place(self):
        self.assertExpectedInline(
            flow_text(functionalize(lambda x: x.add_(1).view(-1)), torch.ones(2, 2)),
            """\
aten::add_.Scalar
  1 functionalize (float32[2x2], 1) -> float32[2x2]
    calls  add.Scalar(float32[2x2], 1)
aten::view
  1 functionalize (float32[2x2], [-1]) -> float32[4]
    calls  view(float32[2x2], [-1])""",
        )

    def test_nothing_without_transformations(self):
        assert flow_text(torch.add, torch.ones(2), 1) == ""
        assert "transformations" not in torch.explain(torch.add, torch.ones(2), 1)

    def test_again_when_calls_are_remembered(self):
        program, x = vmap(grad(lambda x: x.sin())), torch.ones(3)
        for _ in range(4):
            program(x)
        assert flow_text(program, x).startswith("aten::sin\n  2 grad   (float32[scalar])")
