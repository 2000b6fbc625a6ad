import { expect, test } from 'vitest'
import { decrypt, decryptFernet, deriveKey, encodeKey, encrypt } from './encryption.ts'
import { seededRandom } from './random.ts'

const random = seededRandom(1)
const key = deriveKey(encodeKey(random.bytes(32)))
const other = deriveKey(encodeKey(random.bytes(32)))
const encryptText = (plain: string) => encrypt(plain, { key, context: 'row-1' }, random.bytes)

test.each(['', 'x', '{"a":"ü\u0000😀"}', 'x'.repeat(100_000)])('decrypts what it encrypted', (plain) => {
  expect(decrypt(encryptText(plain), { key, context: 'row-1' })).toBe(plain)
})

test('encrypts the same text differently each time', () => {
  expect(encryptText('swordfish')).not.toBe(encryptText('swordfish'))
  expect(Buffer.from(encryptText('swordfish'), 'base64').includes('swordfish')).toBe(false)
})

test('rejects another key, another row and a changed bit', () => {
  const text = encryptText('swordfish')
  const changed = Buffer.from(text, 'base64')
  changed[14] = (changed[14] as number) ^ 1
  expect(() => decrypt(text, { key: other, context: 'row-1' })).toThrow()
  expect(() => decrypt(text, { key, context: 'row-2' })).toThrow()
  expect(() => decrypt(changed.toString('base64'), { key, context: 'row-1' })).toThrow()
})

test('derives the same key from a text, ignores surrounding blanks and does not reveal it in the id', () => {
  const text = 'a passphrase that is long enough'
  expect(deriveKey(` ${text}\n`)).toEqual(deriveKey(text))
  expect(deriveKey(text).id).toMatch(/^[0-9a-f]{16}$/)
  expect(deriveKey(text).id).not.toBe(deriveKey(`${text}!`).id)
  expect(Buffer.from(deriveKey(text).secret).toString('hex')).not.toContain(deriveKey(text).id)
})

test('rejects a key that is too short', () => {
  expect(() => deriveKey('short')).toThrow('at least 16 characters')
})

// The example of the Fernet specification.
const fernetKey = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4='
const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA=='

test('decrypts a Fernet token', () => {
  expect(decryptFernet(token, fernetKey)).toBe('hello')
})

test('rejects another Fernet key, a changed token and other texts', () => {
  expect(() => decryptFernet(token, 'jpQRnpMNxNdF5FxC31fUJImB05UttuAHJfleUZWHUHI=')).toThrow('Wrong key')
  expect(() => decryptFernet(token.replace('Q', 'R'), fernetKey)).toThrow('Wrong key')
  expect(() => decryptFernet('hello', fernetKey)).toThrow('Not a Fernet token')
  expect(() => decryptFernet(token, 'short')).toThrow('32 bytes')
})
