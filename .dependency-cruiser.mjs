// The boundaries between packages: service → { web, admin } → functions → api → { db, email }. `npm run boundaries` fails on a wrong import.
const ours = '^(apps|packages)/'
const tests = '^packages/functions/src/tests/|^packages/testing/|^features/'
const serverSideOfWeb = '^apps/web/app/.+\\.server\\.tsx?$'
const typeOnly = ['type-only']
/** The modules of the specification, the operator's and that of other services. */
const modules =
  'access|administration|allow-list|api-keys|confirmations|email-address|events|linked-accounts|organizations|passkeys|passwords|profile|protection|sessions|sign-in|two-factor'

/** A folder of ours that knows these others of ours alone. */
const knowsOnly = (folder, others, name, comment) => ({
  name,
  ...(comment && { comment }),
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: ours, pathNot: `^packages/(${others.join('|')})/` },
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'web-reaches-the-product-through-functions',
      comment: 'Server code of the app uses functions and api. Ask the api for what you need from db, email or env.',
      severity: 'error',
      from: { path: '^apps/web/' },
      to: { path: '^packages/(?!functions/|api/|client/|languages/)' },
    },
    {
      name: 'only-the-service-hosts',
      comment: 'apps/service composes everything and starts it. No package and no page imports it.',
      severity: 'error',
      from: { path: ours, pathNot: `${tests}|^apps/service/` },
      to: { path: '^apps/service/' },
    },
    {
      name: 'pages-serve-the-service',
      severity: 'error',
      from: { path: ours, pathNot: '^apps/(web|service)/' },
      to: { path: '^apps/web/' },
    },
    {
      name: 'browser-code-knows-contracts-and-client',
      comment:
        'What a page imports can end up in the browser: only @floorpass/api/contracts, @floorpass/client, texts and `import type`.',
      severity: 'error',
      from: { path: '^apps/web/app/', pathNot: serverSideOfWeb },
      to: {
        path: '^packages/',
        pathNot: '^packages/(api/src/contracts\\.ts|client/|languages/src/(locales|page-texts)\\.ts)',
        dependencyTypesNot: typeOnly,
      },
    },
    {
      name: 'components-load-no-contracts',
      comment: 'Contracts bring zod, 26 kB of a page. A loader hands limits to the component.',
      severity: 'error',
      from: { path: '^apps/web/app/components/' },
      to: { path: '^packages/api/src/contracts\\.ts$', dependencyTypesNot: typeOnly },
    },
    {
      name: 'contracts-are-browser-safe',
      comment:
        'The browser loads @floorpass/api/contracts: it may lead to zod, the list of languages and files of the api, nowhere else.',
      severity: 'error',
      from: { path: '^packages/api/src/contracts\\.ts$' },
      to: { reachable: true, pathNot: '^packages/api/src/|^packages/languages/src/|/node_modules/zod/' },
    },
    {
      name: 'the-list-of-languages-is-light',
      comment: 'The browser loads the list with every page: it names folders as types, and loads none.',
      severity: 'error',
      from: { path: '^packages/languages/src/locales\\.ts$' },
      to: { dependencyTypesNot: [...typeOnly, 'type-import'] },
    },
    {
      name: 'functions-is-the-edge',
      comment: 'functions serves the app and does not know it, nor the client.',
      severity: 'error',
      from: { path: '^packages/functions/', pathNot: tests },
      to: { path: ours, pathNot: '^packages/(functions|api|db|email|languages)/' },
    },
    knowsOnly(
      'packages/api',
      ['api', 'db', 'email', 'languages'],
      'api-knows-db-email-and-languages',
      'Rules do not know who calls them: no env, no HTTP edge, no app.',
    ),
    knowsOnly(
      'packages/languages',
      ['languages'],
      'languages-import-nothing-of-ours',
      'Every other package may use them, browsers too.',
    ),
    {
      name: 'api-knows-no-transport',
      comment: 'HTTP belongs to packages/functions, pages to apps/web.',
      severity: 'error',
      from: { path: '^packages/api/' },
      to: { path: '/node_modules/(@remix-run|hono|@hono|react|react-dom)/' },
    },
    {
      name: 'client-knows-types-and-contracts',
      comment: 'The client runs in browsers: from the api it takes types and contracts.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: ours, pathNot: '^packages/(client/|api/src/contracts\\.ts)', dependencyTypesNot: typeOnly },
    },
    knowsOnly('packages/client', ['client', 'api'], 'client-knows-only-the-api'),
    knowsOnly('packages/server', ['server'], 'server-imports-nothing-of-ours', 'Other repositories install it without the rest.'),
    {
      name: 'env-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^packages/env/' },
      to: { path: ours, pathNot: '^packages/env/' },
    },
    knowsOnly('packages/email', ['email', 'languages'], 'email-knows-only-languages'),
    knowsOnly('packages/db', ['db', 'env'], 'db-knows-only-env', 'From env it takes how a PostgreSQL URL is read.'),
    knowsOnly('packages/badges', ['badges', 'env'], 'badges-import-only-env'),
    knowsOnly(
      'packages/reliability',
      ['reliability', 'api', 'db', 'env'],
      'reliability-looks-from-outside',
      'It breaks what the built service stands on, and reads the rows afterwards: no edge, no app.',
    ),
    knowsOnly(
      'packages/admin',
      ['admin', 'api'],
      'admin-uses-the-api',
      'The command line parses and prints. Rules are in the api; apps/service opens the service for it.',
    ),
    {
      name: 'env-is-read-in-composition-roots',
      comment: 'Take what you need as an argument; only the composition roots read the configuration.',
      severity: 'error',
      from: {
        path: `${ours}|^features/`,
        pathNot: [
          '^packages/env/',
          '^apps/service/src/(open|compose)-service\\.ts$',
          '^apps/service/src/cluster/(primary|worker-count)\\.ts$',
          '^apps/service/src/backup/cli\\.ts$',
          '^packages/db/src/seed\\.ts$',
          '^packages/badges/src/cli\\.ts$',
          '^packages/reliability/src/service-process\\.ts$',
          tests,
        ],
      },
      to: { path: '^packages/env/', pathNot: '^packages/env/src/postgres-url\\.ts$' },
    },
    {
      name: 'lucia-behind-one-file',
      comment: 'lucia is retired: only packages/api/src/sessions/session-store.ts may know it.',
      severity: 'error',
      from: { pathNot: '^packages/api/src/sessions/session-store\\.ts$|node_modules' },
      to: { path: '/node_modules/(lucia|@lucia-auth)/|^(lucia|@lucia-auth)(/|$)' },
    },
    {
      name: 'arctic-behind-one-folder',
      comment: 'arctic is retired: only packages/api/src/sign-in/providers/ may know it.',
      severity: 'error',
      from: { pathNot: '^packages/api/src/sign-in/providers/|node_modules' },
      to: { path: '/node_modules/arctic/|^arctic$' },
    },
    {
      name: 'simplewebauthn-behind-one-file',
      comment: 'Only packages/api/src/passkeys/webauthn.ts may know the library that verifies passkeys.',
      severity: 'error',
      from: { pathNot: '^packages/api/src/passkeys/webauthn\\.ts$|node_modules|^packages/functions/src/tests/' },
      to: { path: '/node_modules/@simplewebauthn/server/|^@simplewebauthn/server$' },
    },
    {
      name: 'simplewebauthn-browser-behind-one-file',
      comment: 'Only apps/web/app/passkey.client.ts may know the library that asks browsers for passkeys.',
      severity: 'error',
      from: { pathNot: '^apps/web/app/passkey\\.client\\.ts$|node_modules' },
      to: { path: '/node_modules/@simplewebauthn/browser/|^@simplewebauthn/browser$' },
    },
    {
      name: 'kernel-imports-nothing-of-ours',
      comment: 'Errors, policy, log, locale and the like stand alone: everything imports them.',
      severity: 'error',
      from: { path: '^packages/api/src/kernel/' },
      to: { path: ours, pathNot: '^packages/(api/src/kernel/|languages/src/locales\\.ts$)' },
    },
    {
      name: 'api-modules-stand-alone',
      comment: 'A module of the specification imports its own files, sessions and the shared modules, not another one.',
      severity: 'error',
      from: {
        path: `^packages/api/src/(${modules})/`,
        pathNot: '^packages/api/src/(administration|sign-in|two-factor|passkeys|api-keys|allow-list|protection|confirmations)/',
      },
      to: { path: `^packages/api/src/(${modules})/`, pathNot: '^packages/api/src/($1|sessions)/' },
    },
    {
      name: 'administrators-act-on-organizations',
      severity: 'error',
      from: { path: '^packages/api/src/administration/' },
      to: { path: `^packages/api/src/(${modules})/`, pathNot: '^packages/api/src/(administration|organizations|sessions)/' },
    },
    {
      name: 'api-keys-know-their-owners',
      comment: 'A key belongs to a person or an organization, and a passkey confirms one that withdraws.',
      severity: 'error',
      from: { path: '^packages/api/src/api-keys/' },
      to: {
        path: `^packages/api/src/(${modules})/`,
        pathNot: '^packages/api/src/((api-keys|organizations|passkeys)/|sessions/)',
      },
    },
    {
      name: 'a-passkey-confirms-protection',
      severity: 'error',
      from: { path: '^packages/api/src/(allow-list|protection)/' },
      to: { path: `^packages/api/src/(${modules})/`, pathNot: '^packages/api/src/(allow-list|protection|passkeys|sessions)/' },
    },
    {
      name: 'confirmations-verify-the-user',
      comment: 'A passkey or a code approves a confirmation; its receipt is signed with the keys of access tokens.',
      severity: 'error',
      from: { path: '^packages/api/src/confirmations/' },
      to: {
        path: `^packages/api/src/(${modules})/`,
        pathNot: '^packages/api/src/((confirmations|passkeys|two-factor)/|sessions/|access/signing-keys.ts)',
      },
    },
    {
      name: 'sign-in-may-challenge',
      comment: 'Signing in and reauthenticating may ask for the second factor; a verified code completes the sign-in.',
      severity: 'error',
      from: { path: '^packages/api/src/(sign-in|two-factor|passkeys)/' },
      to: {
        path: `^packages/api/src/(${modules})/`,
        pathNot: '^packages/api/src/((sign-in|two-factor|passkeys)/|sessions/)',
      },
    },
    {
      name: 'shared-modules-know-no-capability',
      comment: 'What several modules share knows none of them, but sessions and the types of what a mail shows.',
      severity: 'error',
      from: { path: `^packages/api/src/(?!(${modules})/)[^/]+/` },
      to: {
        path: `^packages/api/src/((${modules.replace('|sessions', '')})/|(router|index|contracts|trpc)\\.ts$)`,
        dependencyTypesNot: typeOnly,
      },
    },
    {
      name: 'no-cycles',
      comment: 'Types count: a reader follows them too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-reaching-into-another-package',
      comment: 'Import what the package exports, by its name.',
      severity: 'error',
      from: { path: '^((?:packages|apps)/[^/]+)/' },
      to: { path: ours, pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'no-drawer-folders',
      comment: 'lib, utils, helpers, common and services say nothing: name the folder after what is in it.',
      severity: 'error',
      from: {},
      to: { path: '^(?!.*node_modules).*(^|/)(lib|utils|helpers|common|services)/' },
    },
    {
      name: 'no-drawer-folders-unimported',
      severity: 'error',
      from: { orphan: true, path: '(^|/)(lib|utils|helpers|common|services)/' },
      to: {},
    },
    {
      name: 'no-drawer-folders-importing',
      severity: 'error',
      from: { path: '(^|/)(lib|utils|helpers|common|services)/', pathNot: 'node_modules' },
      to: {},
    },
    {
      name: 'production-knows-no-tests',
      severity: 'error',
      from: { path: ours, pathNot: tests },
      to: { path: `${tests}|\\.(test|spec)\\.tsx?$` },
    },
    {
      name: 'production-needs-no-dev-dependency',
      comment: 'Move the package to "dependencies", or the code to the tests.',
      severity: 'error',
      from: { path: '^(packages/[^/]+/src|apps/web/app|apps/service/src)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: typeOnly },
    },
    {
      name: 'every-import-is-declared',
      comment:
        'Add the package to the package.json of the folder that imports it; tests take theirs from packages/developer-tools.',
      severity: 'error',
      from: { pathNot: '^(features|packages/functions/src/tests)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: '/node_modules/vitest/' },
    },
    {
      name: 'every-import-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/db/src/generated/|/build/|\\.(css|svg)(\\?|$)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts', '.json'],
    },
  },
}
