"""tf.io.gfile: files and folders."""

from placewise.ops.io.file_objects import GFile as GFile
from placewise.ops.io.file_system import copy as copy
from placewise.ops.io.file_system import exists as exists
from placewise.ops.io.file_system import get_registered_schemes as get_registered_schemes
from placewise.ops.io.file_system import glob as glob
from placewise.ops.io.file_system import isdir as isdir
from placewise.ops.io.file_system import join as join
from placewise.ops.io.file_system import listdir as listdir
from placewise.ops.io.file_system import makedirs as makedirs
from placewise.ops.io.file_system import mkdir as mkdir
from placewise.ops.io.file_system import remove as remove
from placewise.ops.io.file_system import rename as rename
from placewise.ops.io.file_system import rmtree as rmtree
from placewise.ops.io.file_system import stat as stat
from placewise.ops.io.file_system import walk as walk
