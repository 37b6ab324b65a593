"""A Lightning trainer: fit, validate, keep the best, load it and go on from a checkpoint."""

import logging
import os

import pytorch_lightning as lightning
import torch
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Classifier(lightning.LightningModule):
    def __init__(self, hidden=16):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def forward(self, x):
        return self.net(x)

    def _loss(self, batch, name):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log(name, loss)
        return loss

    def training_step(self, batch, place):
        return self._loss(batch, "train_loss")

    def validation_step(self, batch, place):
        self._loss(batch, "val_loss")

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def show(name, trainer):
    found = {k: float(v) for k, v in sorted(trainer.callback_metrics.items())}
    print(f"{name}={trainer.global_step} {' '.join(f'{v:.5f}' for v in found.values())}")


lightning.seed_everything(0, verbose=False)
x = torch.randn(64, 8)
y = (x.sum(1) > 0).long() + (x[:, 0] > 1).long()
data = TensorDataset(x, y)
training, validation = DataLoader(data, 16, shuffle=True), DataLoader(data, 32)
quiet = {"accelerator": "cpu", "logger": False, "enable_progress_bar": False}
kept = ModelCheckpoint(dirpath=os.getcwd(), monitor="val_loss", save_last=True)
trainer = lightning.Trainer(
    max_epochs=3, callbacks=[kept, EarlyStopping("val_loss")], gradient_clip_val=1.0, **quiet
)
trainer.fit(Classifier(), training, validation)
show("fit", trainer)
model = Classifier.load_from_checkpoint(kept.best_model_path, weights_only=False)
print(f"loaded={model.hparams.hidden} {model(x).abs().sum().item():.4f}")
trainer = lightning.Trainer(max_epochs=5, enable_checkpointing=False, **quiet)
trainer.fit(model, training, validation, ckpt_path="last.ckpt", weights_only=False)
show("resumed", trainer)
