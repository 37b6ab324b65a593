"""What the examples show while they train: a bar on the terminal, lines of losses, a picture."""

from tqdm import tqdm


class Progress:
    """A live bar with the loss and the items per second; a line for every tenth step stays."""

    def __init__(self, steps, items, unit):
        self.items = items
        self.done = 0
        self.bar = tqdm(total=steps * items, unit=f" {unit}", unit_scale=True, dynamic_ncols=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bar.close()

    def step(self, loss):
        """Tell of a step's loss."""
        if self.done % 10 == 0:
            self.bar.write(f"step {self.done} loss {loss:.8g}")
        self.done += 1
        self.bar.set_postfix_str(f"loss {loss:.4f}", refresh=False)
        self.bar.update(self.items)


def picture(losses, path, label):
    """Draw the losses to a file, where matplotlib is installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture of the loss: matplotlib is not installed")
        return
    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xlabel="step", ylabel=label, yscale="log")
    axes.plot(losses)
    figure.savefig(path)
    print(f"the loss is drawn in {path}")
