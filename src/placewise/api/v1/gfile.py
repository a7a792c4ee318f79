"""tf.gfile of TensorFlow 1: files and folders under their TF1 names."""

from placewise.tf1.gfile import Copy as Copy
from placewise.tf1.gfile import DeleteRecursively as DeleteRecursively
from placewise.tf1.gfile import Exists as Exists
from placewise.tf1.gfile import FastGFile as FastGFile
from placewise.tf1.gfile import GFile as GFile
from placewise.tf1.gfile import Glob as Glob
from placewise.tf1.gfile import IsDirectory as IsDirectory
from placewise.tf1.gfile import ListDirectory as ListDirectory
from placewise.tf1.gfile import MakeDirs as MakeDirs
from placewise.tf1.gfile import MkDir as MkDir
from placewise.tf1.gfile import Open as Open
from placewise.tf1.gfile import Remove as Remove
from placewise.tf1.gfile import Rename as Rename
from placewise.tf1.gfile import Stat as Stat
from placewise.tf1.gfile import Walk as Walk
