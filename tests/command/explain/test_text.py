"""The text of `explain`, word by word, as far as it is the same on every processor."""

import re

import expecttest

import rushlight as torch


def stable_part(text: str) -> str:
    """What comes before the IR, without addresses and numbers that count up."""
    text = text.partition("\n\n== LLVM IR")[0].partition("\n\n== time")[0]
    text = re.sub(r"0x[0-9a-f]{4,}", "ADDRESS", text)
    return re.sub(r"#[0-9a-f]+(?=>)|(?<=step )\d+|#\d+", "#N", text)


class TestText(expecttest.TestCase):
    def test_a_pointwise_call(self):
        a = torch.ones(4, 4)
        self.assertExpectedInline(
            stable_part(torch.explain(torch.add, a, a, alpha=2)),
            """\
== call ==
add(float32[4x4], float32[4x4], alpha=2) -> float32[4x4]

== schema ==
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor

== keys ==
CPU

== generated Python ==
# <rushlight add function #N>
def add(input=MISSING, other=MISSING, *extra, alpha=1, out=None, **others):
    if not extra and not others and out is None:
        if type(input) in plain and type(other) in plain and type(alpha) in number_types:
            return c_pointwise.add_Tensor(input, other, alpha)
        if type(input) in plain and type(other) in number_types and type(alpha) in number_types:
            return c_pointwise.add_Scalar(input, other, alpha)
    return UNREAD

# <rushlight aten::add.Tensor call #N>
def add_Tensor(self, other, alpha=1):
    keys = self._keys_ | other._keys_
    if state.active:
        keys = state.effective(keys)
    return table[keys](self, other, alpha)

# <rushlight aten::add.Tensor plan #N>
def add_Tensor(self, other, alpha):
    key = (self._flags_, self._size_, self._stride_, other._flags_, other._size_, other._stride_, alpha if is_compiled('alpha', alpha) else None, type(alpha),)
    found = plans.get(key)
    if found is None:
        found = plans[key] = build((self, other, alpha,))
    plan, pick = found
    operands = (self, other, alpha, )
    if pick is not None:
        operands = [operands[i] for i in pick]
    result = plan.produce(*operands)
    return note(plan, operands, result)

== plan ==
new float32[4, 4] strides [4, 1]
loop over [16, 1] (innermost first), kernel at ADDRESS
  operand 0: byte strides [4, 0]
  operand 1: byte strides [4, 0]
  operand 2: byte strides [4, 0]
  operand 3: byte strides [0, 0]

== expression ==
%0 = arg.f32 1
%1 = arg.f32 2
%2 = arg.f32 0
%3 = fma.f32 %0, %1, %2""",
        )

    def test_a_view(self):
        self.assertExpectedInline(
            stable_part(torch.explain(torch.t, torch.ones(2, 3))),
            """\
== call ==
t(float32[2x3]) -> float32[3x2] strides (1, 3)

== schema ==
aten::t(Tensor(a) self) -> Tensor(a)

== keys ==
CPU

== generated Python ==
# <rushlight t function #N>
def t(input=MISSING, *extra, **others):
    if not extra and not others:
        if type(input) in plain:
            return c_view.t(input)
    return UNREAD

# <rushlight aten::t call #N>
def t(self):
    keys = self._keys_
    if state.active:
        keys = state.effective(keys)
    return table[keys](self)

== plan ==
view: sizes [3, 2] strides [1, 3] offset +0""",
        )

    def test_a_recorded_call(self):
        x = torch.linspace(0.5, 2, 4).requires_grad_()
        text = torch.explain(torch.log, x)
        gradient = text[text.index("== gradient ==") : text.index("\n\n== time")]
        self.assertExpectedInline(
            stable_part(gradient),
            """\
== gradient ==
LogBackward0, recorded as step #N
  d self = gradient_of_self(grad, self)
  keeps self
  gradient 0 goes to torch::autograd::AccumulateGrad, output 0

== expression of the gradient ==
%0 = arg.f32 0
%1 = const.f32 1.0
%2 = arg.f32 1
%3 = div.f32 %1, %2
%4 = mul.f32 %0, %3""",
        )
