"""Points of Sobol sequences: plain, scrambled, from a place on."""

import pytest

import rushlight as torch
from rushlight.quasirandom import SobolEngine


def test_the_first_points():
    engine = SobolEngine(3)
    assert engine.draw(3).tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25]]
    assert engine.draw(2).tolist() == [[0.25, 0.75, 0.75], [0.375, 0.375, 0.625]]
    assert engine.num_generated == 5 and repr(engine) == "SobolEngine(dimension=3)"


def test_scrambled_points_are_pytorchs():
    # What PyTorch 2.13 gives.
    engine = SobolEngine(2, scramble=True, seed=5)
    assert engine.shift.tolist() == [515708045, 125905764]
    assert engine.sobolstate[:, :2].tolist() == [[578044019, 339076269], [671911881, 997993699]]
    expected = torch.tensor([[0.4803, 0.1173], [0.9498, 0.7430], [0.6404, 0.3272]])
    torch.testing.assert_close(engine.draw(3), expected, atol=1e-4, rtol=0)
    assert repr(engine) == "SobolEngine(dimension=2, scramble=True, seed=5)"


def test_every_dimension_is_even():
    points = SobolEngine(1111).draw(256, dtype=torch.float64)
    cells = (points * 256).long().sort(0).values
    assert torch.equal(cells, torch.arange(256)[:, None].expand(256, 1111))


def test_places():
    whole = SobolEngine(4, scramble=True, seed=1).draw(20, dtype=torch.float64)
    engine = SobolEngine(4, scramble=True, seed=1)
    assert torch.equal(engine.fast_forward(7).draw(5, dtype=torch.float64), whole[7:12])
    assert torch.equal(engine.quasi, (whole[11] * 2**30).long())
    assert torch.equal(engine.reset().draw(3, dtype=torch.float64), whole[:3])
    out = torch.empty(0, dtype=torch.float64)
    assert engine.draw(2, out=out, dtype=torch.float64) is out and torch.equal(out, whole[3:5])
    assert engine.draw(0).shape == (0, 4)


def test_powers_of_two():
    engine = SobolEngine(2)
    assert engine.draw_base2(3).shape == (8, 2)
    with pytest.raises(ValueError, match=r"n=8\+2\*\*2=12"):
        engine.draw_base2(2)


def test_dimensions():
    with pytest.raises(
        ValueError, match=r"range of dimensionality for SobolEngine is \[1, 21201\]"
    ):
        SobolEngine(0)
    with pytest.raises(NotImplementedError, match="numbers for 1111 dimensions, but got 2000"):
        SobolEngine(2000)
