"""Data sets, the order of their samples, and batches of them."""

from rushlight.utils.data._utils.collate import default_collate, default_convert
from rushlight.utils.data._utils.worker import get_worker_info
from rushlight.utils.data.dataloader import DataLoader
from rushlight.utils.data.datapipes import (
    DataChunk,
    IterDataPipe,
    MapDataPipe,
    functional_datapipe,
)
from rushlight.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from rushlight.utils.data.distributed import DistributedSampler
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
