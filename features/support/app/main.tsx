import { createRoot } from 'react-dom/client'
import { Act } from './act.tsx'
import { api, auth, callApi, here, type RiskLevel, reauthenticate, service } from './auth.ts'

const { pathname, searchParams } = new URL(location.href)
const parameter = (name: string): string => searchParams.get(name) ?? ''
const provider = 'google'

function App() {
  const { data, isPending } = auth.useSession()
  return (
    <>
      <p>
        You are at {pathname}. {parameter('error') && <strong>Error: {parameter('error')}</strong>}
      </p>
      {!data && <h1>{isPending ? 'Loading …' : 'Signed out'}</h1>}
      {data ? <Member {...data} /> : <Visitor />}
    </>
  )
}

const Visitor = () => (
  <>
    <Act
      name="Sign up"
      fields={['name', 'email', 'password', 'riskLevel']}
      run={({ riskLevel, ...values }) =>
        auth.signUp.email({ ...values, riskLevel: riskLevel as RiskLevel, callbackURL: here('/welcome') })
      }
      done={({ user }) => `Check the mailbox of ${user.email}.`}
    />
    <Act
      name="Send the link again"
      fields={['email']}
      run={({ email }) => auth.sendVerificationEmail({ email, callbackURL: here('/welcome') })}
    />
    <Act
      name="Sign in"
      fields={['email', 'password']}
      run={(values) => auth.signIn.email({ ...values, callbackURL: here('/home') })}
    />
    <Act name="Sign in with a passkey" run={() => auth.signIn.passkey()} />
    <Act
      name="Sign in with Google"
      run={() =>
        auth.signIn.social({
          provider,
          callbackURL: here('/home'),
          newUserCallbackURL: here('/first-steps'),
          errorCallbackURL: here('/refused'),
        })
      }
    />
    <Act
      name="Forgot password"
      fields={['email']}
      run={({ email }) => auth.requestPasswordReset({ email, redirectTo: here('/new-password') })}
    />
    {pathname === '/code' && (
      <>
        <Act name="Use a passkey" run={() => auth.signIn.passkey()} />
        <Act name="Enter code" fields={['code']} run={({ code }) => auth.twoFactor.verifyTotp({ code, trustDevice: true })} />
        <Act name="Enter backup code" fields={['code']} run={({ code }) => auth.twoFactor.verifyBackupCode({ code })} />
      </>
    )}
    {parameter('token') && (
      <Act
        name="Set new password"
        fields={['newPassword']}
        run={({ newPassword }) => auth.resetPassword({ newPassword, token: parameter('token') })}
      />
    )}
  </>
)

const Member = ({ user }: typeof auth.$Infer.Session) => (
  <>
    <h1>Hello, {user.name}</h1>
    <p>
      {user.email}, {user.riskLevel}, trading {user.tradingEnabled ? 'on' : 'off'}, two-factor{' '}
      {user.twoFactorEnabled ? 'on' : 'off'}
    </p>
    <Act name="Change name" fields={['name']} run={({ name }) => auth.updateUser({ name })} />
    <Act
      name="Allow trading"
      fields={['riskLevel']}
      run={({ riskLevel }) => auth.updateUser({ tradingEnabled: true, riskLevel: riskLevel as RiskLevel })}
    />
    <Act name="Confirm password" fields={['password']} run={({ password }) => reauthenticate(password)} />
    <Act
      name="Change password"
      fields={['currentPassword', 'newPassword']}
      run={(values) => auth.changePassword({ ...values, revokeOtherSessions: true })}
    />
    <Act
      name="Change email"
      fields={['newEmail']}
      run={({ newEmail }) => auth.changeEmail({ newEmail, callbackURL: here('/new-email') })}
    />
    <TwoFactor />
    <Passkeys />
    <Sessions />
    <Accounts />
    <Organizations />
    <Act name="Call the API" run={() => callApi(api)} done={(answer) => JSON.stringify(answer)} />
    <Act name="Call the API with a token for the service" run={() => callApi(service)} />
    <Act name="Call another API" run={() => callApi('https://api.example.test')} />
    <Act name="Delete account" run={() => auth.deleteUser({ callbackURL: here('/goodbye') })} done={({ message }) => message} />
    <Act name="Sign out" run={() => auth.signOut()} />
  </>
)

const TwoFactor = () => (
  <>
    <Act
      name="Set up two-factor"
      fields={['password']}
      run={({ password }) => auth.twoFactor.enable({ password, method: 'totp' })}
      done={(setUp) =>
        setUp.method === 'totp' && (
          <>
            <output aria-label="Key">{setUp.totpURI}</output>
            <BackupCodes codes={setUp.backupCodes} />
            <Act name="Turn on" fields={['code']} run={({ code }) => auth.twoFactor.verifyTotp({ code })} />
          </>
        )
      }
    />
    <Act
      name="Replace backup codes"
      fields={['password']}
      run={({ password }) => auth.twoFactor.generateBackupCodes({ password })}
      done={({ backupCodes }) => <BackupCodes codes={backupCodes} />}
    />
    <Act name="Turn off two-factor" fields={['password']} run={({ password }) => auth.twoFactor.disable({ password })} />
  </>
)

const BackupCodes = ({ codes }: { codes: readonly string[] }) => (
  <ul aria-label="Backup codes">
    {codes.map((code) => (
      <li key={code}>{code}</li>
    ))}
  </ul>
)

function Passkeys() {
  const { data: passkeys } = auth.useListPasskeys()
  return (
    <>
      <Act name="Add passkey" fields={['name']} run={({ name }) => auth.passkey.addPasskey({ name })} />
      <ul aria-label="Passkeys">
        {passkeys?.map(({ id, name }) => (
          <li key={id}>
            {name}
            <Act name="Rename passkey" fields={['name']} run={({ name }) => auth.passkey.updatePasskey({ id, name })} />
            <Act name="Remove passkey" run={() => auth.passkey.deletePasskey({ id })} />
          </li>
        ))}
      </ul>
    </>
  )
}

const Sessions = () => (
  <>
    <Act
      name="Show sessions"
      run={() => auth.listSessions()}
      done={(sessions) => (
        <ol aria-label="Sessions">
          {sessions.map(({ id, token, createdAt, userAgent }) => (
            <li key={id}>
              {userAgent} since {createdAt.toLocaleDateString()}
              <Act name="Revoke" run={() => auth.revokeSession({ token })} />
            </li>
          ))}
        </ol>
      )}
    />
    <Act name="Revoke others" run={() => auth.revokeOtherSessions()} />
  </>
)

const Accounts = () => (
  <>
    <Act
      name="Link Google"
      run={() => auth.linkSocial({ provider, callbackURL: here('/linked'), errorCallbackURL: here('/refused') })}
    />
    <Act
      name="Show accounts"
      run={() => auth.listAccounts()}
      done={(accounts) => (
        <ul aria-label="Accounts">
          {accounts.map(({ id, providerId }) => (
            <li key={id}>
              {providerId}
              <Act name="Unlink" run={() => auth.unlinkAccount({ accountId: id })} />
            </li>
          ))}
        </ul>
      )}
    />
  </>
)

function Organizations() {
  const { data: organizations, refetch } = auth.useListOrganizations()
  /** The hook does not notice that the person joins or leaves an organization. */
  const thenList = <Answer,>(call: Promise<Answer>) => call.finally(() => refetch())
  const active = auth.useActiveOrganization().data
  return (
    <>
      <h2>{active ? `Desk: ${active.name}` : 'No desk'}</h2>
      <Act name="Create desk" fields={['name', 'slug']} run={(values) => auth.organization.create(values)} />
      <ul aria-label="Desks">
        {organizations?.map(({ id: organizationId, name }) => (
          <li key={organizationId}>
            {name}
            <Act name="Switch" run={() => auth.organization.setActive({ organizationId })} />
            <Act name="Leave" run={() => thenList(auth.organization.leave({ organizationId }))} />
            <Act name="Delete" run={() => auth.organization.delete({ organizationId })} />
          </li>
        ))}
      </ul>
      <Act
        name="Invite"
        fields={['email']}
        run={({ email }) => auth.organization.inviteMember({ email, role: 'member' })}
        done={({ email }) => `${email} is invited.`}
      />
      <Act
        name="Show invitations"
        run={() => auth.organization.listUserInvitations()}
        done={(invitations) =>
          invitations.map(({ id: invitationId }) => (
            <Act key={invitationId} name="Accept" run={() => thenList(auth.organization.acceptInvitation({ invitationId }))} />
          ))
        }
      />
      <Act
        name="Show members"
        run={() => auth.organization.listMembers({ query: { sortBy: 'createdAt' } })}
        done={({ members }) => (
          <ul aria-label="Members">
            {members.map(({ id: memberId, role, user }) => (
              <li key={memberId}>
                {user.email}: {role}
                <Act name="Make admin" run={() => auth.organization.updateMemberRole({ memberId, role: 'admin' })} />
              </li>
            ))}
          </ul>
        )}
      />
    </>
  )
}

createRoot(document.querySelector('#root') as HTMLElement).render(<App />)
