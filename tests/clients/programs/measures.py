"""Measures of torchmetrics, one a line."""

import torch
import torchmetrics.functional as F
import torchmetrics.functional.classification as C
import torchmetrics.functional.regression as G

torch.manual_seed(0)
probs = torch.rand(40)
truth = (torch.rand(40) > 0.5).long()
scores = torch.randn(40, 5).softmax(-1)
classes = torch.randint(0, 5, (40,))
a, b = torch.randn(40), torch.randn(40)
images = torch.rand(2, 3, 32, 32)
values = {
    "accuracy": F.accuracy(probs, truth, task="binary"),
    "accuracy of classes": F.accuracy(scores, classes, task="multiclass", num_classes=5),
    "auroc": F.auroc(probs, truth, task="binary"),
    "auroc of classes": F.auroc(scores, classes, task="multiclass", num_classes=5),
    "average precision": F.average_precision(probs, truth, task="binary"),
    "calibration": F.calibration_error(probs, truth, task="binary", n_bins=5),
    "cohen": F.cohen_kappa(scores, classes, task="multiclass", num_classes=5),
    "confusion": F.confusion_matrix(scores, classes, task="multiclass", num_classes=5)
    .float()
    .std(),
    "f1": F.f1_score(scores, classes, task="multiclass", num_classes=5, average="macro"),
    "matthews": F.matthews_corrcoef(scores, classes, task="multiclass", num_classes=5),
    "precision": F.precision(scores, classes, task="multiclass", num_classes=5, average="weighted"),
    "recall": F.recall(scores, classes, task="multiclass", num_classes=5, average="macro"),
    "specificity": F.specificity(probs, truth, task="binary"),
    "jaccard": F.jaccard_index(scores, classes, task="multiclass", num_classes=5),
    "hinge": F.hinge_loss(probs, truth, task="binary"),
    "roc": C.binary_roc(probs, truth)[0].sum(),
    "curve": C.binary_precision_recall_curve(probs, truth)[0].sum(),
    "mse": F.mean_squared_error(a, b),
    "mae": F.mean_absolute_error(a, b),
    "r2": F.r2_score(a, b),
    "pearson": F.pearson_corrcoef(a, b),
    "spearman": F.spearman_corrcoef(a, b),
    "kendall": G.kendall_rank_corrcoef(a, b),
    "explained": F.explained_variance(a, b),
    "cosine": F.cosine_similarity(a.view(4, 10), b.view(4, 10)),
    "concordance": G.concordance_corrcoef(a, b),
    "log cosh": G.log_cosh_error(a, b),
    "kl": F.kl_divergence(scores[:20], scores[20:]),
    "psnr": F.peak_signal_noise_ratio(images, images.flip(0), data_range=1.0),
    "ssim": F.structural_similarity_index_measure(images, images.flip(0), data_range=1.0),
    "variation": F.total_variation(images),
    "perplexity": F.text.perplexity(torch.randn(2, 8, 5), torch.randint(0, 5, (2, 8))),
    "distances": F.pairwise_euclidean_distance(a.view(4, 10), b.view(4, 10)).sum(),
    "snr": F.signal_noise_ratio(a, b),
    "precision of a search": F.retrieval_average_precision(probs, truth.bool()),
    "ndcg": F.retrieval_normalized_dcg(probs, truth),
}
for name, value in values.items():
    print(f"{name}={value.item():.6g}")
