import { formDecode, parseForm, valuesOf } from '@gatehouse/http/form'
import { expiringSecret, expiringSecretBytes, expiryOf } from '@gatehouse/kit/expiring-secret'
import fc from 'fast-check'
import { bearerTokenIn, presentedBy, presentsToken } from '../../../services/gateway/src/oauth/presented.ts'
import { made, texts } from '../inputs.ts'
import { must, target, unlessRefused } from '../target.ts'

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
const plain = fc.string({ minLength: 1, maxLength: 20 })
const base64 = (text: string) => Buffer.from(text).toString('base64')

const sentBasic = fc
  .tuple(plain, plain, fc.constantFrom('Basic ', 'basic ', 'BASIC   '))
  .map(([id, secret, scheme]) => scheme + base64(`${formEncoded(id)}:${formEncoded(secret)}`))
const basicHeaders = fc.oneof(
  texts(['Basic', ' ', 'Bearer', ':', 'YTpi', 'OmI=', '=', 'Og', '/', '-', '_', '+'], sentBasic),
  made(['a', ':', '%3A', '%', '+', ' ', '%00', '%C3%A9', '\0']).map((text) => `Basic ${base64(text)}`),
)

/** Credentials in HTTP Basic against RFC 6749 section 2.3.1, decoded by other means. */
const basic = target({
  name: 'basic',
  reads: ['gateway/src/oauth/presented.ts#presentedBy'],
  inputs: fc.record({
    authorization: basicHeaders,
    body: fc.record({ client_id: plain, client_secret: plain }, { requiredKeys: [] }),
  }),
  check({ authorization, body }) {
    const readings = unlessRefused(() => presentedBy({ headers: { authorization }, body }).credentials)
    if (readings === undefined) return
    must(readings.length === 1 || readings.length === 2, 'not one or two readings')
    const sent = Buffer.from(authorization.trim().split(' ').at(-1) ?? '', 'base64').toString()
    const [id = '', ...rest] = sent.split(':')
    const raw = { clientId: id, clientSecret: rest.join(':') }
    const decoded = (text: string) => new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('')
    for (const { clientId, clientSecret } of readings) {
      const isRaw = clientId === raw.clientId && clientSecret === raw.clientSecret
      const isDecoded = clientId === decoded(raw.clientId) && clientSecret === decoded(raw.clientSecret)
      must(isRaw || isDecoded, 'a reading that is not in the header')
      must(!`${clientId}${clientSecret}`.includes('\0'), 'a NUL')
      must(body.client_id === undefined || body.client_id === clientId, 'the form names another client')
    }
  },
})

const sentForm = fc
  .array(fc.tuple(plain, plain), { maxLength: 5 })
  .map((parameters) => new URLSearchParams(parameters).toString())
const formPieces = ['a', 'b', '=', '&', '%3D', '%26', 'grant_type=code', 'resource=x', '%F0%9F%98%80', '+']

/** Forms against the parser of the platform, which takes more. */
const forms = target({
  name: 'form',
  reads: ['http/src/form.ts#parseForm', 'http/src/form.ts#formDecode', 'http/src/form.ts#valuesOf'],
  // Node decodes bodies, so no text of theirs has half of a character.
  inputs: texts(formPieces, sentForm).map((text) => text.toWellFormed()),
  check(text) {
    unlessRefused(() => formDecode(text))
    for (const repeatable of [undefined, 'resource']) {
      const form = unlessRefused(() => parseForm(text, repeatable))
      if (form === undefined) continue
      const expected = new URLSearchParams(text.replace(/^\?/, '%3F'))
      must(Object.getPrototypeOf(form) === null, 'a form that inherits')
      for (const name of new Set([...expected.keys(), ...Object.keys(form)])) {
        const values = expected.getAll(name).filter((value) => value !== '')
        const read = name === repeatable ? valuesOf(form[name]) : form[name] === undefined ? [] : [form[name]]
        must(JSON.stringify(read) === JSON.stringify(values), `another value of ${name}`)
      }
    }
  },
})

/** Bearer tokens: a header gives one token without white space, or none. */
const bearer = target({
  name: 'bearer',
  reads: ['gateway/src/oauth/presented.ts#bearerTokenIn', 'gateway/src/oauth/presented.ts#presentsToken'],
  inputs: texts(['Bearer', 'bearer', ' ', 'secret', 'a.b.c', ',', '\u00a0'], fc.constant('Bearer secret')),
  check(header) {
    const request = { headers: { authorization: header }, body: undefined }
    const token = bearerTokenIn(request)
    must(token === undefined || /^bearer +\S+ *$/i.test(header), 'a token in another header')
    must(presentsToken(request, 'secret') === (token === 'secret'), 'another token')
    must(!presentsToken(request, ''), 'an empty token')
  },
})

const expiring = fc
  .tuple(
    fc.uint8Array({ minLength: expiringSecretBytes, maxLength: expiringSecretBytes }),
    fc.nat(0xffff_ffff),
  )
  .map(([bits, expiresAt]) => expiringSecret(bits, expiresAt))

/** Refresh tokens and session secrets: one that carries an expiry is written in one way. */
const secrets = target({
  name: 'expiring-secret',
  reads: ['kit/src/expiring-secret.ts#expiryOf'],
  inputs: texts(['A', 'B', '-', '_', '=', '+', '/', '\n', 'a'.repeat(42), 'b'.repeat(43)], expiring),
  check(text) {
    const expiresAt = expiryOf(text)
    if (expiresAt === undefined) return
    must(expiringSecret(Buffer.from(text, 'base64url'), expiresAt) === text, 'another text with this expiry')
  },
})

/** Targets of how callers present themselves. */
export const credentialTargets = [basic, forms, bearer, secrets]
