let spins = 0;
while (spins >= 0) spins = (spins + 1) % 1000;
