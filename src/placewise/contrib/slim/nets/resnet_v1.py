"""Residual networks, version 1: each unit normalized after its convolutions."""

from __future__ import annotations

from placewise.contrib.slim.nets import residual, resnet_utils

resnet_arg_scope = resnet_utils.resnet_arg_scope

bottleneck = residual.unit_of("v1")
resnet_v1 = residual.network_of("v1", bottleneck)
resnet_v1_block = residual.block_of(bottleneck, "resnet_v1_block")

resnet_v1_50 = residual.sized(resnet_v1, resnet_v1_block, 50)
resnet_v1_101 = residual.sized(resnet_v1, resnet_v1_block, 101)
resnet_v1_152 = residual.sized(resnet_v1, resnet_v1_block, 152)
resnet_v1_200 = residual.sized(resnet_v1, resnet_v1_block, 200)
