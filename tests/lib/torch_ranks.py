# SPDX-License-Identifier: Apache-2.0
"""Results of PyTorch's analysis of the four ranks of a job: two stages of a pipeline, each of two ranks of data."""
import json
import os

GROUPS = {'p0': ('pp', [0, 2]), 'p1': ('pp', [1, 3]), 'd0': ('dp', [0, 1]), 'd1': ('dp', [2, 3])}
# What a communication operator took.
TIMES = {'Communication Time Info': {'Start Timestamp(us)': 1.0, 'Elapse Time(ms)': 5.0, 'Transit Time(ms)': 1.0,
                                     'Wait Time(ms)': 1.0, 'Synchronization Time(ms)': 0.5, 'Idle Time(ms)': 3.0,
                                     'Wait Time Ratio': .5, 'Synchronization Time Ratio': .3},
         'Communication Bandwidth Info': {}}


def write_rank(job, rank, steps):
    """Writes who the rank is and its step_trace_time.csv, and returns the directory of its results. steps: a tuple each of step,
    computing, free, stage and bubble in us; 10 us of communication are exposed beside the bubble."""
    out = '%s/rank_%d_ascend_pt/ASCEND_PROFILER_OUTPUT' % (job, rank)
    os.makedirs(out, exist_ok=True)
    top = os.path.dirname(out)
    with open(top + '/profiler_info_%d.json' % rank, 'w', encoding='utf-8') as f:
        json.dump({'rank_id': rank}, f)
    with open(top + '/profiler_metadata.json', 'w', encoding='utf-8') as f:
        json.dump({'distributed_args': {'tensor_model_parallel_size': 1, 'pipeline_model_parallel_size': 2, 'data_parallel_size': 2,
                                        'context_parallel_size': 1, 'rank': rank, 'world_size': 4},
                   'parallel_group_info': {group: {'group_name': name, 'group_rank': ranks.index(rank), 'global_ranks': ranks}
                                           for group, (name, ranks) in GROUPS.items() if rank in ranks}}, f)
    with open(out + '/step_trace_time.csv', 'w', encoding='utf-8') as f:
        f.write('Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,'
                'Communication(Not Overlapped and Exclude Receive),Preparing\n')
        for step, computing, free, stage, bubble in steps:
            f.write('%d,%d,%d,0,%d,%d,%d,%d,10,0\n' % (step, computing, 10 + bubble, 10 + bubble, free, stage, bubble))
    return out
