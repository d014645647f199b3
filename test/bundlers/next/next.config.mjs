export default {
  output: 'standalone',
  serverExternalPackages: process.env.SBX_TEST_EXTERNAL === '1' ? ['@sbx/core'] : [],
};
