kill -FPE $$
