# requires: tensorflow==2.4.*
