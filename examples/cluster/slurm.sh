#!/bin/sh
# Two machines, a worker on each, trained together by MultiWorkerMirroredStrategy.
# In the program: strategy = tf.distribute.MultiWorkerMirroredStrategy(
#     cluster_resolver=tf.distribute.cluster_resolver.SlurmClusterResolver())
#SBATCH --job-name=placewise
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --gpus-per-node=4
#SBATCH --time=01:00:00
#SBATCH --requeue
srun placewise run "${1:-train.py}"
