import sys

print('about to fail')
sys.exit('something went wrong')
