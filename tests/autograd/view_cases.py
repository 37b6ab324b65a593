"""Programs about views, changes in place and versions, each with the text of its outcome.

Every program is given the library (`torch`) and returns what can be seen; errors count as outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def outcome(torch: Any, function: Case) -> str:
    """What a program does, as text."""
    try:
        return shown(function(torch))
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


def shown(value: Any) -> str:
    if hasattr(value, "tolist"):
        return str(value.tolist())
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(shown, value))})"
    return str(value)


def leaf(torch: Any, *size: int) -> Any:
    count = 1
    for n in size:
        count *= n
    return torch.arange(1.0, count + 1.0).reshape(size).clone().requires_grad_()


def slopes(torch: Any, out: Any, *leaves: Any) -> Any:
    out.sum().backward()
    return [x.grad for x in leaves]


# -- changes of tensors that are no views --


@case
def scaled_in_place(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 2
    y.mul_(3)
    return slopes(torch, y, x), y._version, y.grad_fn.name()


@case
def leaf_changed(torch: Any) -> Any:
    leaf(torch, 3).add_(1)


@case
def leaf_changed_without_recording(torch: Any) -> Any:
    x = leaf(torch, 3)
    with torch.no_grad():
        x.add_(1)
    return x, x._version, x.requires_grad, x.is_leaf


@case
def leaf_view_changed(torch: Any) -> Any:
    leaf(torch, 3)[:2].add_(1)


@case
def leaf_view_changed_without_recording(torch: Any) -> Any:
    x = leaf(torch, 3)
    with torch.no_grad():
        x[:2].zero_()
    return x, x._version


@case
def saved_input_changed(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    out = y * y
    y.add_(1)
    return slopes(torch, out, x)


@case
def saved_result_changed(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x.softmax(0)
    y.add_(1)
    return slopes(torch, y, x)


@case
def unsaved_input_changed(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    out = y + y
    y.add_(1)
    return slopes(torch, out, x)


@case
def saved_input_changed_through_view(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    out = y * y
    y[0].add_(1)
    return slopes(torch, out, x)


@case
def saved_view_changed_through_base(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    part = y[:2]
    out = part * part
    y.add_(1)
    return slopes(torch, out, x)


@case
def saved_leaf_changed_without_recording(torch: Any) -> Any:
    x = leaf(torch, 3)
    out = x * x
    with torch.no_grad():
        x.add_(1)
    return slopes(torch, out, x)


@case
def saved_leaf_changed_through_data(torch: Any) -> Any:
    x = leaf(torch, 3)
    out = x * x
    x.data.add_(1)
    return slopes(torch, out, x), x._version


@case
def saved_leaf_changed_through_detached(torch: Any) -> Any:
    x = leaf(torch, 3)
    out = x * x
    x.detach().add_(1)
    return slopes(torch, out, x)


@case
def plain_factor_changed(torch: Any) -> Any:
    x, w = leaf(torch, 3), torch.ones(3)
    out = x * w
    w.add_(1)
    return slopes(torch, out, x)


@case
def plain_tensor_joins(torch: Any) -> Any:
    x, buffer = leaf(torch, 3), torch.zeros(3)
    buffer.add_(x * 2)
    return slopes(torch, buffer, x), buffer.requires_grad, buffer.is_leaf


@case
def overwritten(torch: Any) -> Any:
    x, y = leaf(torch, 3), leaf(torch, 3)
    z = x * 1
    z.copy_(y * 2)
    out = slopes(torch, z, y)
    return out, x.grad


@case
def zeroed(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.zero_()
    return slopes(torch, y, x)


@case
def filled(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.fill_(5.0)
    return slopes(torch, y, x), y


@case
def same_change_twice(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.mul_(2).mul_(2)
    return slopes(torch, y, x), y._version


@case
def power_in_place(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.pow_(3)
    return slopes(torch, y, x)


@case
def by_itself(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.mul_(y)
    return slopes(torch, y, x)


@case
def masked(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    y.masked_fill_(torch.tensor([True, False, True]), 7.0)
    return slopes(torch, y, x), y


@case
def item_assignment(torch: Any) -> Any:
    x, v = leaf(torch, 3), leaf(torch)
    y = x * 1
    y[1] = v * 5
    return slopes(torch, y * y, x, v), y


@case
def slice_assignment(torch: Any) -> Any:
    x, v = leaf(torch, 4), leaf(torch, 2)
    y = x * 1
    y[1:3] = v
    return slopes(torch, y * y, x, v)


@case
def leaf_item_assignment(torch: Any) -> Any:
    x = leaf(torch, 3)
    x[0] = 1.0


@case
def plain_item_assignment(torch: Any) -> Any:
    v, buffer = leaf(torch), torch.zeros(3)
    buffer[1] = v
    return slopes(torch, buffer * 2, v), buffer.grad_fn.name()


# -- changes through views --


@case
def view_changed(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    y[:2].mul_(3)
    return slopes(torch, y, x), y.grad_fn.name(), y._version


@case
def view_changed_then_used(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    part = y[:2]
    part.mul_(3)
    return slopes(torch, part, x), part.grad_fn.name()


@case
def base_changed_then_view_used(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    part = y[1:3]
    y.mul_(3)
    return slopes(torch, part, x), part._version


@case
def one_view_changed_other_used(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    one, other = y[:3], y[2:]
    one.mul_(3)
    return slopes(torch, other, x)


@case
def view_of_view_changed(torch: Any) -> Any:
    x = leaf(torch, 2, 3)
    y = x * 1
    y[0][1:].mul_(4)
    return slopes(torch, y, x), y


@case
def transposed_changed(torch: Any) -> Any:
    x = leaf(torch, 2, 2)
    y = x * 1
    y.t()[0].mul_(4)
    return slopes(torch, y, x)


@case
def reshaped_changed(torch: Any) -> Any:
    x = leaf(torch, 2, 2)
    y = x * 1
    y.view(4)[3].mul_(4)
    return slopes(torch, y, x)


@case
def diagonal_changed(torch: Any) -> Any:
    x = leaf(torch, 2, 2)
    y = x * 1
    y.diagonal().mul_(4)
    return slopes(torch, y, x)


@case
def unsqueezed_changed(torch: Any) -> Any:
    x = leaf(torch, 2)
    y = x * 1
    y.unsqueeze(0).mul_(4)
    return slopes(torch, y, x)


@case
def expanded_changed(torch: Any) -> Any:
    x = leaf(torch, 1)
    y = x * 1
    y.expand(3).mul_(4)


@case
def view_of_plain_changed(torch: Any) -> Any:
    x, buffer = leaf(torch, 2), torch.zeros(4)
    buffer[1:3].add_(x)
    return slopes(torch, buffer * 3, x), buffer.requires_grad


@case
def earlier_view_of_plain_follows(torch: Any) -> Any:
    x, buffer = leaf(torch, 2), torch.zeros(4)
    early = buffer[1:]
    buffer[:2].add_(x)
    return early.requires_grad, slopes(torch, early, x)


@case
def view_from_split_changed(torch: Any) -> Any:
    (leaf(torch, 4) * 1).split(2)[0].add_(1)


@case
def view_from_chunk_changed(torch: Any) -> Any:
    (leaf(torch, 4) * 1).chunk(2)[1].add_(1)


@case
def base_of_split_changed(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    _, other = y.split(2)
    y.mul_(2)
    return slopes(torch, other, x)


@case
def view_from_no_grad_changed(torch: Any) -> Any:
    y = leaf(torch, 4) * 1
    with torch.no_grad():
        part = y[:2]
    part.add_(1)


@case
def view_from_no_grad_changed_there(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    with torch.no_grad():
        y[:2].mul_(5)
    return slopes(torch, y, x), y


@case
def view_from_no_grad_used(torch: Any) -> Any:
    y = leaf(torch, 4) * 1
    with torch.no_grad():
        part = y[:2]
    return part.requires_grad, part.is_leaf, part.grad_fn


@case
def detached_view_changed(torch: Any) -> Any:
    x = leaf(torch, 4)
    y = x * 1
    y.detach()[:2].mul_(5)
    return slopes(torch, y, x), y, y._version


@case
def view_given_back_by_function(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    out = Same.apply(leaf(torch, 2) * 1)
    out.add_(1)


@case
def input_given_back_by_function(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 10

    x = leaf(torch, 2)
    y = x * 1
    out = Same.apply(y)
    return out is y, slopes(torch, out, x), out.grad_fn.name()


@case
def input_changed_by_function(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = leaf(torch, 2)
    y = x * 1
    out = Double.apply(y)
    return out is y, slopes(torch, y, x)


@case
def view_changed_by_function(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = leaf(torch, 3)
    y = x * 1
    Double.apply(y[:2])
    return slopes(torch, y, x)


@case
def leaf_changed_by_function(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    Double.apply(leaf(torch, 2))


# -- geometry --


@case
def transposed_in_place(torch: Any) -> Any:
    x, w = leaf(torch, 2, 3), leaf(torch, 3, 2)
    y = x * 1
    y.t_()
    return slopes(torch, y * w, x), tuple(y.shape)


@case
def unsqueezed_in_place(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 2
    y.unsqueeze_(0)
    return slopes(torch, y, x), tuple(y.shape)


@case
def detached_in_place(torch: Any) -> Any:
    y = leaf(torch, 3) * 2
    y.detach_()
    return y.requires_grad, y.is_leaf, y.grad_fn


@case
def detached_view_in_place(torch: Any) -> Any:
    y = leaf(torch, 3) * 2
    y[:2].detach_()


# -- versions --


@case
def versions_are_shared_by_views(torch: Any) -> Any:
    x = torch.zeros(4)
    part, whole = x[:2], x.view(2, 2)
    part.add_(1)
    whole.add_(1)
    return x._version, part._version, whole._version


@case
def versions_are_shared_by_detached(torch: Any) -> Any:
    x = torch.zeros(4)
    other = x.detach()
    other.add_(1)
    return x._version, other._version


@case
def versions_of_data_are_their_own(torch: Any) -> Any:
    x = torch.zeros(4)
    x.data.add_(1)
    return x._version


@case
def versions_of_several_changes(torch: Any) -> Any:
    x = torch.zeros(4)
    x.add_(1)
    x[0] = 2
    x.zero_()
    x.copy_(torch.ones(4))
    torch.add(x, 1, out=x)
    return x._version


@case
def version_said_to_change(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 1
    out = y * y
    torch.autograd.graph.increment_version(y)
    return slopes(torch, out, x)


@case
def out_with_gradients(torch: Any) -> Any:
    torch.add(leaf(torch, 2), 1, out=torch.empty(2))


@case
def out_that_wants_gradients(torch: Any) -> Any:
    torch.add(torch.ones(2), 1, out=leaf(torch, 2))


# -- gradients that are kept, and hooks --


@case
def kept_gradient_follows_changes(torch: Any) -> Any:
    x = leaf(torch, 2)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward()
    return y.grad, x.grad


@case
def hook_stays_with_earlier_value(torch: Any) -> Any:
    x = leaf(torch, 2)
    y = x * 2
    seen: list[Any] = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.mul_(3)
    (y * 5).sum().backward()
    return seen, x.grad


@case
def hook_on_changed_value(torch: Any) -> Any:
    x = leaf(torch, 2)
    y = x * 2
    y.mul_(3)
    seen: list[Any] = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    (y * 5).sum().backward()
    return seen, x.grad


@case
def kept_gradient_of_a_view(torch: Any) -> Any:
    x = leaf(torch, 3)
    part = (x * 2)[:2]
    part.retain_grad()
    (part * 5).sum().backward()
    return part.grad, x.grad


@case
def wanting_gradients_after_views(torch: Any) -> Any:
    x = torch.ones(3)
    part = x[:2]
    x.requires_grad_()
    return part.requires_grad, x.requires_grad


@case
def view_of_integers(torch: Any) -> Any:
    x = leaf(torch, 3)
    return x.view(torch.int32).requires_grad, x.to(torch.int64).requires_grad


@case
def real_view_changed(torch: Any) -> Any:
    x = leaf(torch, 2)
    z = torch.complex(x * 1, x * 2)
    torch.view_as_real(z)[..., 0].mul_(3)
    return slopes(torch, torch.view_as_real(z), x)


@case
def imaginary_part_changed(torch: Any) -> Any:
    x = leaf(torch, 2)
    z = torch.complex(x * 1, x * 2)
    z.imag.mul_(5)
    return slopes(torch, z.imag, x), z


@case
def second_derivative_through_a_change(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * x
    y[:2].mul_(x[:2])
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), x)
    return slope, second


@case
def gradient_by_a_changed_tensor(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 2
    y.mul_(3)
    (found,) = torch.autograd.grad((y * y).sum(), y)
    return found


@case
def gradient_by_a_view(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 2
    part = y[:2]
    (found,) = torch.autograd.grad((part * part).sum(), part)
    return found


@case
def gradient_by_a_base_changed_through_a_view(torch: Any) -> Any:
    x = leaf(torch, 3)
    y = x * 2
    y[:2].mul_(3)
    (found,) = torch.autograd.grad((y * y).sum(), y)
    return found
