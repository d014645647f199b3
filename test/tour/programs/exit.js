console.log('about to fail');
process.exitCode = 7;
