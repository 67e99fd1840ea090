# requires: tensorflow==1.10.*
