import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Fernet: how the reference keeps secrets. A token is a version, a time, an initial vector, AES-128-CBC over the text and an HMAC over all of
 * it. We only ever read them: what is kept here is encrypted by encryption.ts.
 */
const version = 0x80
const headerBytes = 25
const macBytes = 32

/** Throws when the key is another one, or when the token was changed. */
export function decryptFernet(token: string, key: string): string {
  const keys = Buffer.from(key, 'base64url')
  if (keys.length !== 32) throw new Error('A Fernet key is 32 bytes in base64')
  const all = Buffer.from(token, 'base64url')
  if (all.length < headerBytes + macBytes || all[0] !== version) throw new Error('not a Fernet token')
  const signed = all.subarray(0, -macBytes)
  const mac = createHmac('sha256', keys.subarray(0, 16)).update(signed).digest()
  if (!timingSafeEqual(mac, all.subarray(-macBytes))) throw new Error('another key, or a token that was changed')
  const decipher = createDecipheriv('aes-128-cbc', keys.subarray(16), all.subarray(9, headerBytes))
  return Buffer.concat([decipher.update(signed.subarray(headerBytes)), decipher.final()]).toString('utf8')
}
