"""Names of tf.contrib.slim.nets."""

from placewise.contrib.slim.nets import alexnet as alexnet
from placewise.contrib.slim.nets import inception as inception
from placewise.contrib.slim.nets import resnet_utils as resnet_utils
from placewise.contrib.slim.nets import resnet_v1 as resnet_v1
from placewise.contrib.slim.nets import resnet_v2 as resnet_v2
from placewise.contrib.slim.nets import vgg as vgg
