/* Does nothing: what is measured around it is the sandbox. */
int main(void) { return 0; }
