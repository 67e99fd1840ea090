import torch.distributed as dist


def average_gradients(net):
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def gather_reports(report):
    gathered = [None] * dist.get_world_size()
    dist.all_gather_object(gathered, report)
    return [r for part in gathered for r in part]
