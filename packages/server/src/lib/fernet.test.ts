import { expect, test } from 'vitest'
import { decryptFernet } from './fernet.ts'

// The example of the Fernet specification.
const key = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4='
const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA=='

test('reads a token', () => {
  expect(decryptFernet(token, key)).toBe('hello')
})

test('refuses another key, a changed token, and what is no token', () => {
  expect(() => decryptFernet(token, 'jpQRnpMNxNdF5FxC31fUJImB05UttuAHJfleUZWHUHI=')).toThrow('another key')
  expect(() => decryptFernet(token.replace('Q', 'R'), key)).toThrow('another key')
  expect(() => decryptFernet('hello', key)).toThrow('not a Fernet token')
  expect(() => decryptFernet(token, 'short')).toThrow('32 bytes')
})
