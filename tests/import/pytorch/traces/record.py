"""Records the traces of this folder: small training runs, each with something planted.

    python3 record.py FOLDER        needs PyTorch and a GPU
"""

import os
import sys
import time

import torch
import torch.distributed
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

FOLDER = sys.argv[1]
WIDTH = 256
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def mlp(width=WIDTH, depth=2):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.GELU()]
    return nn.Sequential(*layers, nn.Linear(width, 10)).cuda()


def save(recorded, name):
    torch.cuda.synchronize()
    recorded.export_chrome_trace(f"{FOLDER}/{name}.pt.trace.json.gz")


def train(name, model, steps, batches, options, bf16=False, after_step=lambda loss: None):
    """Records the last `steps` steps: one before them is not recorded, one is thrown away."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    when = schedule(wait=1, warmup=1, active=steps, repeat=1)
    with profile(activities=ACTIVITIES, schedule=when, **options) as recorded:
        for _ in range(steps + 2):
            x, y = (tensor.cuda(non_blocking=True) for tensor in next(batches))
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            after_step(loss)
            recorded.step()
    save(recorded, name)


def batches_on_gpu(width=WIDTH):
    while True:
        yield torch.randn(64, width, device="cuda"), torch.randint(0, 10, (64,), device="cuda")


def steps():
    train("steps", mlp(512, 4), 4, batches_on_gpu(512), {})


def all_options_scalar_reads():
    options = dict(record_shapes=True, with_stack=True, profile_memory=True, with_flops=True, with_modules=True)
    train("all_options_scalar_reads", mlp(), 3, batches_on_gpu(), options, after_step=lambda loss: loss.item())


def annotations():
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    with profile(activities=ACTIVITIES, record_shapes=True) as recorded:
        for step in range(5):
            with record_function(f"train_step {step}"):
                with record_function("forward"):
                    loss = model(torch.randn(32, WIDTH, device="cuda")).sum()
                with record_function("backward"):
                    loss.backward()
                with record_function("optimizer"):
                    optimizer.step()
                    optimizer.zero_grad()
    save(recorded, "annotations")


class SlowSamples(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        time.sleep(0.0006)
        return torch.randn(WIDTH), index % 10


def waits_for_data():
    loader = torch.utils.data.DataLoader(SlowSamples(), batch_size=64, num_workers=2, pin_memory=True)
    train("waits_for_data", mlp(), 4, iter(loader), dict(record_shapes=True))


def convolutions_bf16_pageable_copies():
    def block(channels, filters):
        return [nn.Conv2d(channels, filters, 3, padding=1), nn.BatchNorm2d(filters), nn.ReLU()]

    def batches():
        images = torch.randn(64, 3, 64, 64)
        while True:
            yield images, torch.randint(0, 10, (64,), device="cuda")

    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    model = nn.Sequential(*block(3, 32), *block(32, 64), *head).cuda()
    train("convolutions_bf16_pageable_copies", model, 3, batches(), dict(record_shapes=True), bf16=True)


def nothing_recorded():
    with profile(activities=ACTIVITIES, schedule=schedule(wait=0, warmup=1, active=4)) as recorded:
        for _ in range(5):
            recorded.step()
    save(recorded, "nothing_recorded")  # its only cycle has ended


def ddp_one_rank():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
    torch.distributed.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(mlp(), device_ids=[0])
    train("ddp_one_rank", model, 3, batches_on_gpu(), dict(record_shapes=True))
    torch.distributed.destroy_process_group()


def compiled():
    model = torch.compile(mlp())
    for _ in range(3):
        model(torch.randn(64, WIDTH, device="cuda")).sum().backward()
    train("compiled", model, 3, batches_on_gpu(), dict(record_shapes=True))


mlp()(torch.randn(64, WIDTH, device="cuda")).sum().backward()  # loads CUDA
for record in (steps, all_options_scalar_reads, annotations, waits_for_data, convolutions_bf16_pageable_copies,
               nothing_recorded, ddp_one_rank, compiled):
    record()
