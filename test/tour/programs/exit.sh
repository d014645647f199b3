ls /no/such/folder
exit 5
