import { AppError, catalogue, type ErrorKey, toAppError } from '@floorpass/api'
import { refusePage } from '@floorpass/functions'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { TRPCError } from '@trpc/server'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const keys = Object.keys(catalogue) as ErrorKey[]

const internalMessage = 'SELECT * FROM users at /srv/app/secret.ts'
const bugAnswer = {
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Something went wrong on our side. The request may not have taken effect.',
}

/** Makes every hash fail with `error` until the test ends. */
function breakHashing(error: unknown): void {
  const { passwords } = app.service.deps
  onTestFinished(() => {
    app.service.deps.passwords = passwords
  })
  app.service.deps.passwords = { ...passwords, hash: () => Promise.reject(error) }
}

describe('the error catalogue', () => {
  test('is this list: a new line or another status changes the public contract', () => {
    expect(keys.map((key) => `${key} ${catalogue[key][0]} ${new AppError(key).status}`).join('\n')).toMatchInlineSnapshot(`
      "BAD_REQUEST BAD_REQUEST 400
      VALIDATION_ERROR BAD_REQUEST 400
      UNSUPPORTED_MEDIA_TYPE UNSUPPORTED_MEDIA_TYPE 415
      PAYLOAD_TOO_LARGE PAYLOAD_TOO_LARGE 413
      NOT_FOUND NOT_FOUND 404
      METHOD_NOT_ALLOWED METHOD_NOT_SUPPORTED 405
      UNAUTHORIZED UNAUTHORIZED 401
      INSUFFICIENT_USER_AUTHENTICATION UNAUTHORIZED 401
      INSUFFICIENT_SCOPE FORBIDDEN 403
      ORGANIZATION_REQUIRED FORBIDDEN 403
      ROLE_REQUIRED FORBIDDEN 403
      INVALID_AUDIENCE FORBIDDEN 403
      ADMINISTRATOR_ROLE_REQUIRED FORBIDDEN 403
      ADMINISTRATOR_FACTOR_REQUIRED FORBIDDEN 403
      ADMINISTRATOR_ON_HOLD FORBIDDEN 403
      APPROVAL_REQUIRED CONFLICT 409
      APPROVAL_NOT_FOUND NOT_FOUND 404
      YOU_CANNOT_BAN_YOURSELF BAD_REQUEST 400
      YOU_CANNOT_REMOVE_YOURSELF BAD_REQUEST 400
      YOU_CANNOT_ADMINISTER_YOURSELF BAD_REQUEST 400
      YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE BAD_REQUEST 400
      USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL BAD_REQUEST 400
      NO_DATA_TO_UPDATE BAD_REQUEST 400
      PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER BAD_REQUEST 400
      USER_ID_CANNOT_BE_UPDATED BAD_REQUEST 400
      USER_SUSPENDED BAD_REQUEST 400
      YOU_CANNOT_IMPERSONATE_ADMINS FORBIDDEN 403
      IMPERSONATION_READ_ONLY FORBIDDEN 403
      NOT_IMPERSONATING BAD_REQUEST 400
      SESSION_NOT_FRESH FORBIDDEN 403
      INVALID_ORIGIN FORBIDDEN 403
      MISSING_OR_NULL_ORIGIN FORBIDDEN 403
      CROSS_SITE_NAVIGATION_LOGIN_BLOCKED FORBIDDEN 403
      INVALID_CALLBACK_URL FORBIDDEN 403
      INVALID_ERROR_CALLBACK_URL FORBIDDEN 403
      INVALID_NEW_USER_CALLBACK_URL FORBIDDEN 403
      PROVIDER_NOT_FOUND NOT_FOUND 404
      PROVIDER_UNAVAILABLE SERVICE_UNAVAILABLE 503
      ID_TOKEN_NOT_SUPPORTED NOT_FOUND 404
      ACCOUNT_NOT_FOUND BAD_REQUEST 400
      FAILED_TO_UNLINK_LAST_ACCOUNT BAD_REQUEST 400
      INVALID_EMAIL_OR_PASSWORD UNAUTHORIZED 401
      EMAIL_NOT_VERIFIED FORBIDDEN 403
      EMAIL_ALREADY_VERIFIED BAD_REQUEST 400
      EMAIL_MISMATCH BAD_REQUEST 400
      PASSWORD_TOO_SHORT BAD_REQUEST 400
      PASSWORD_TOO_LONG BAD_REQUEST 400
      PASSWORD_TOO_COMMON BAD_REQUEST 400
      PASSWORD_ALREADY_SET BAD_REQUEST 400
      INVALID_PASSWORD BAD_REQUEST 400
      CREDENTIAL_ACCOUNT_NOT_FOUND BAD_REQUEST 400
      INVALID_REDIRECT_URL FORBIDDEN 403
      INVALID_TOKEN BAD_REQUEST 400
      TOKEN_EXPIRED BAD_REQUEST 400
      REAUTHENTICATION_METHOD_NOT_AVAILABLE BAD_REQUEST 400
      INVALID_USER FORBIDDEN 403
      EMAIL_TAKEN BAD_REQUEST 400
      EMAIL_RECENTLY_CHANGED FORBIDDEN 403
      ROLE_TOO_NEW FORBIDDEN 403
      EMAIL_IS_THE_SAME BAD_REQUEST 400
      USER_NOT_FOUND BAD_REQUEST 400
      ORGANIZATION_SUSPENDED FORBIDDEN 403
      ORGANIZATION_NOT_FOUND BAD_REQUEST 400
      CURSOR_EXPIRED BAD_REQUEST 410
      WEBHOOK_NOT_FOUND NOT_FOUND 404
      NO_ACTIVE_ORGANIZATION BAD_REQUEST 400
      ORGANIZATION_ALREADY_EXISTS BAD_REQUEST 400
      ORGANIZATION_SLUG_ALREADY_TAKEN BAD_REQUEST 400
      YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS FORBIDDEN 403
      ORGANIZATION_MEMBERSHIP_LIMIT_REACHED FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION FORBIDDEN 403
      MEMBER_NOT_FOUND BAD_REQUEST 400
      ROLE_NOT_FOUND BAD_REQUEST 400
      USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION BAD_REQUEST 400
      YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER FORBIDDEN 403
      MEMBER_HAS_NOT_ACCEPTED FORBIDDEN 403
      YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER BAD_REQUEST 400
      YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER BAD_REQUEST 400
      INVITATION_NOT_FOUND BAD_REQUEST 400
      USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION BAD_REQUEST 400
      INVITATION_LIMIT_REACHED FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS FORBIDDEN 403
      YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION FORBIDDEN 403
      EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION FORBIDDEN 403
      EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION FORBIDDEN 403
      EMAIL_CAN_NOT_BE_UPDATED BAD_REQUEST 400
      FIELD_NOT_ALLOWED BAD_REQUEST 400
      NO_FIELDS_TO_UPDATE BAD_REQUEST 400
      INVALID_PICTURE BAD_REQUEST 400
      PICTURE_TOO_LARGE BAD_REQUEST 400
      PICTURE_NOT_FOUND NOT_FOUND 404
      INVALID_TWO_FACTOR_COOKIE UNAUTHORIZED 401
      INVALID_CODE UNAUTHORIZED 401
      INVALID_BACKUP_CODE UNAUTHORIZED 401
      TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE BAD_REQUEST 400
      TOTP_NOT_ENABLED BAD_REQUEST 400
      TOTP_ALREADY_ENABLED BAD_REQUEST 400
      TWO_FACTOR_ALREADY_ENABLED BAD_REQUEST 400
      TWO_FACTOR_NEEDS_PASSKEY BAD_REQUEST 400
      TWO_FACTOR_NOT_ENABLED BAD_REQUEST 400
      BACKUP_CODES_NOT_ENABLED BAD_REQUEST 400
      BACKUP_CODES_SHOWN_ONCE BAD_REQUEST 400
      OTP_NOT_CONFIGURED BAD_REQUEST 400
      CHALLENGE_NOT_FOUND BAD_REQUEST 400
      FAILED_TO_VERIFY_REGISTRATION BAD_REQUEST 400
      PREVIOUSLY_REGISTERED BAD_REQUEST 400
      PASSKEY_LIMIT_REACHED FORBIDDEN 403
      SESSION_NOT_FOUND NOT_FOUND 404
      PASSKEY_NOT_FOUND NOT_FOUND 404
      AUTHENTICATION_FAILED UNAUTHORIZED 401
      USER_VERIFICATION_REQUIRED FORBIDDEN 403
      PASSKEY_TOO_NEW FORBIDDEN 403
      YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY UNAUTHORIZED 401
      FAILED_TO_DELETE_LAST_PASSKEY BAD_REQUEST 400
      UNAUTHORIZED_SESSION UNAUTHORIZED 401
      SERVER_ONLY_PROPERTY BAD_REQUEST 400
      KEY_NOT_FOUND NOT_FOUND 404
      NO_VALUES_TO_UPDATE BAD_REQUEST 400
      INVALID_NAME_LENGTH BAD_REQUEST 400
      INVALID_PREFIX_LENGTH BAD_REQUEST 400
      EXPIRES_IN_IS_TOO_SMALL BAD_REQUEST 400
      EXPIRES_IN_IS_TOO_LARGE BAD_REQUEST 400
      INVALID_METADATA_TYPE BAD_REQUEST 400
      INVALID_PUBLIC_KEY BAD_REQUEST 400
      API_KEY_LIMIT_REACHED FORBIDDEN 403
      PASSKEY_REQUIRED FORBIDDEN 403
      ALLOW_LIST_ENTRY_EXISTS BAD_REQUEST 400
      ALLOW_LIST_ENTRY_NOT_FOUND NOT_FOUND 404
      ALLOW_LIST_LIMIT_REACHED FORBIDDEN 403
      USER_NOT_MEMBER_OF_ORGANIZATION FORBIDDEN 403
      INSUFFICIENT_API_KEY_PERMISSIONS FORBIDDEN 403
      INVALID_API_KEY UNAUTHORIZED 401
      KEY_DISABLED UNAUTHORIZED 401
      KEY_EXPIRED UNAUTHORIZED 401
      IP_NOT_ALLOWED FORBIDDEN 403
      SIGNATURE_INVALID UNAUTHORIZED 401
      REPLAYED UNAUTHORIZED 401
      RATE_LIMITED FORBIDDEN 403
      ACCOUNT_LOCKED FORBIDDEN 423
      LOCK_DAYS_NOT_ALLOWED BAD_REQUEST 400
      ACCOUNT_NOT_LOCKED BAD_REQUEST 400
      UNLOCK_NOT_REQUESTED BAD_REQUEST 400
      INVALID_LOCK_KEY UNAUTHORIZED 401
      ACCOUNT_NOT_HELD BAD_REQUEST 400
      HOLD_NOT_LIFTABLE FORBIDDEN 403
      PANIC_NOT_FOUND BAD_REQUEST 400
      ACCOUNT_HELD FORBIDDEN 403
      CONFIRMATION_NOT_FOUND NOT_FOUND 404
      CONFIRMATION_EXPIRED BAD_REQUEST 400
      CONFIRMATION_NOT_PENDING CONFLICT 409
      CONFIRMATION_NOT_APPROVED CONFLICT 409
      CONFIRMATION_CONSUMED CONFLICT 409
      CONFIRMATION_SESSION_NOT_FOUND BAD_REQUEST 400
      TOO_MANY_REQUESTS TOO_MANY_REQUESTS 429
      ACCOUNT_TEMPORARILY_LOCKED TOO_MANY_REQUESTS 429
      PASSWORD_LOCKED TOO_MANY_REQUESTS 429
      SERVICE_BUSY SERVICE_UNAVAILABLE 503
      SERVICE_UNAVAILABLE SERVICE_UNAVAILABLE 503
      INTERNAL_SERVER_ERROR INTERNAL_SERVER_ERROR 500"
    `)
  })

  test('lists only caller errors and errors of the service', () => {
    for (const key of keys) {
      const { status, message } = new AppError(key)
      expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 423, 429, 500, 503]).toContain(status)
      expect(status === 500).toBe(key === 'INTERNAL_SERVER_ERROR')
      expect(message.length).toBeGreaterThan(5)
    }
  })

  test.each([
    ['an Error', new Error(internalMessage)],
    ['a TypeError', new TypeError(internalMessage)],
    ['a string', internalMessage],
    ['nothing', undefined],
    ['null', null],
    ['an object', { message: internalMessage, code: 'NOT_FOUND', key: 'NOT_FOUND', status: 404 }],
    ['an Error with a key', Object.assign(new Error(internalMessage), { key: 'NOT_FOUND', status: 404 })],
    ['a wrapped Error', new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: new Error(internalMessage) })],
  ])('turns %s into INTERNAL_SERVER_ERROR with a fixed message', (_, value) => {
    const error = toAppError(value)
    expect([error.key, error.status, error.message]).toEqual([bugAnswer.code, 500, bugAnswer.message])
  })

  test('passes an AppError on unchanged, even when it is wrapped', () => {
    const error = new AppError('TOO_MANY_REQUESTS', { retryAfter: 7 })
    expect(toAppError(error)).toBe(error)
    expect(toAppError(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error }))).toBe(error)
  })

  test('answers 503 with a retry time when the database is unavailable', () => {
    for (const code of ['ECONNREFUSED', 'P1001', 'P2024', '57P01', '57014', '55P03', '53300']) {
      const error = toAppError(Object.assign(new Error(internalMessage), { code }))
      expect([error.key, error.status, error.retryAfter]).toEqual(['SERVICE_UNAVAILABLE', 503, 1])
      expect(error.message).not.toContain(internalMessage)
    }
  })
})

describe('an error answer', () => {
  test('T182: of a bug is 500 with a fixed message over REST and tRPC, and is logged once with its request', async () => {
    breakHashing(new Error(internalMessage))
    app.logs.length = 0
    const rest = await app.browser().post('/auth/sign-up/email', app.person())
    expect([rest.status, rest.body]).toEqual([500, bugAnswer])
    const logged = app.logs.filter((line) => JSON.stringify(line).includes(internalMessage))
    expect(logged).toEqual([
      expect.objectContaining({
        requestId: rest.headers.get('x-request-id'),
        key: 'INTERNAL_SERVER_ERROR',
        procedure: 'signIn.signUp',
      }),
    ])

    const trpc = await app.browser().post('/trpc/signIn.signUp', app.person())
    expect([trpc.status, trpc.body]).toMatchObject([
      500,
      { error: { message: bugAnswer.message, data: { key: bugAnswer.code, httpStatus: 500 } } },
    ])
    expect(JSON.stringify(trpc.body)).not.toContain(internalMessage)
    expect(JSON.stringify(trpc.body)).not.toContain('stack')
  })

  test('of a busy service is 503 with Retry-After', async () => {
    breakHashing(new AppError('SERVICE_BUSY', { retryAfter: 2 }))
    const answer = await app.browser().post('/auth/sign-up/email', app.person())
    expect([answer.status, answer.code, answer.headers.get('retry-after')]).toEqual([503, 'SERVICE_BUSY', '2'])
  })

  test('over REST is only `{ code, message }`, with a request id in the headers', async () => {
    for (const answer of [
      await app.browser().post('/auth/update-user', { name: 'Eve' }),
      await app.browser().post('/auth/sign-up/email', {}),
      await app.browser().get('/auth/nothing'),
      await app.browser().get('/auth/sign-in/email'),
      await app.browser().request('POST', '/auth/sign-in/email', { body: '{' }),
      await app.browser().post('/auth/sign-in/email', 'x', { headers: { 'content-type': 'text/plain' } }),
    ]) {
      expect(Object.keys(answer.body as object)).toEqual(['code', 'message'])
      expect(answer.status).toBe(new AppError(answer.code as ErrorKey).status)
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })
})

test.each([
  [400, 'BAD_REQUEST'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [418, 'BAD_REQUEST'],
  [500, 'INTERNAL_SERVER_ERROR'],
  [502, 'INTERNAL_SERVER_ERROR'],
  [503, 'SERVICE_UNAVAILABLE'],
])('a page that fails with %i and no text answers with the code %s', async (status, code) => {
  expect(await refusePage(status).json()).toMatchObject({ code })
})
