while True:
    print('all work and no play')
