"""An LSTM tells lines of verse from the same words in another order: `rushlight run
examples/lstm_verses.py`.
"""

import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
from progress import Progress
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


class Reader(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.letters = nn.Embedding(letters + 1, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 64, num_layers=2, bidirectional=True, dropout=0.1, batch_first=True)
        self.judge = nn.Linear(2 * 64, 1)

    def forward(self, lines, lengths):
        packed = pack_padded_sequence(
            self.letters(lines), lengths, batch_first=True, enforce_sorted=False
        )
        _, (last, _) = self.lstm(packed)
        return self.judge(torch.cat([last[-2], last[-1]], dim=1)).squeeze(1)


def examples_of(text):
    """Every line as it is (1) and with its words in another order (0)."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) > 3:
            order = torch.randperm(len(words)).tolist()
            found += [(line, 1.0), (" ".join(words[i] for i in order), 0.0)]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()

    torch.manual_seed(4)
    text = (Path(__file__).parent / "data" / "sonnets.txt").read_text()
    alphabet = sorted(set(text))
    data = examples_of(text)

    def collate(batch):
        rows = [torch.tensor([alphabet.index(c) + 1 for c in line]) for line, _ in batch]
        lengths = torch.tensor([len(row) for row in rows])
        return pad_sequence(rows, batch_first=True), lengths, torch.tensor([y for _, y in batch])

    model = Reader(len(alphabet))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)

    right = total = 0
    with Progress(options.epochs * len(loader), 32, "lines") as progress:
        for _ in range(options.epochs):
            right = total = 0
            for lines, lengths, wanted in loader:
                scores = model(lines, lengths)
                loss = F.binary_cross_entropy_with_logits(scores, wanted)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                progress.step(loss.item())
                right += ((scores > 0) == (wanted > 0)).sum().item()
                total += len(wanted)
    print(f"right in the last epoch: {right} of {total}")


if __name__ == "__main__":
    main()
