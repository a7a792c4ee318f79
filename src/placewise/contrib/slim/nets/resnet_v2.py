"""Residual networks, version 2: each unit normalized before its convolutions."""

from __future__ import annotations

from placewise.contrib.slim.nets import residual, resnet_utils

resnet_arg_scope = resnet_utils.resnet_arg_scope

bottleneck = residual.unit_of("v2")
resnet_v2 = residual.network_of("v2", bottleneck)
resnet_v2_block = residual.block_of(bottleneck, "resnet_v2_block")

resnet_v2_50 = residual.sized(resnet_v2, resnet_v2_block, 50)
resnet_v2_101 = residual.sized(resnet_v2, resnet_v2_block, 101)
resnet_v2_152 = residual.sized(resnet_v2, resnet_v2_block, 152)
resnet_v2_200 = residual.sized(resnet_v2, resnet_v2_block, 200)
