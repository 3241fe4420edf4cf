// With NPM_TOKEN the packages are also published. Without it their tarballs are only attached to the release.
const npmPublish = Boolean(process.env.NPM_TOKEN)
const tarballDir = 'build/release'
const pack = (name) => ['@semantic-release/npm', { npmPublish, tarballDir, pkgRoot: `packages/${name}/build` }]

export default {
  branches: ['main'],
  plugins: [
    '@semantic-release/commit-analyzer',
    '@semantic-release/release-notes-generator',
    pack('client'),
    pack('server'),
    [
      '@semantic-release/github',
      {
        assets: [`${tarballDir}/*.tgz`],
        successCommentCondition: false,
        failCommentCondition: false,
        releasedLabels: false,
      },
    ],
  ],
}
