import { secretsUnreadable } from '../../errors.ts'
import { serviceActor } from '../../lib/actor.ts'
import { decrypt, deriveKey, encodeKey, encrypt, type Key, keyLengthBytes } from '../../lib/encryption.ts'
import type { Db } from '../../storage/database.ts'
import { type ActingContext, actAs, perServer } from '../../storage/server-context.ts'
import { readKeyInUse } from './document-store.ts'
import { type KeyStore, selectKeyStore } from './key-store.ts'

/** An encrypted text with the id of its key. */
export interface EncryptedText {
  readonly data: string
  readonly key_id: string
}

/**
 * The encryption keys, current one first. They come from the setting `server.encryption_key` (separated by commas: the first one encrypts,
 * the others only decrypt, so that replicas can change keys one by one) and from the key store, which holds a generated key. The key is
 * generated when the first secret is stored.
 */
export class Keyring {
  readonly #context: ActingContext
  readonly #store: KeyStore
  readonly #configured: readonly Key[]
  #keys: readonly Key[]
  #opening: Promise<void> | undefined

  constructor(context: ActingContext) {
    this.#context = context
    this.#store = selectKeyStore(context.config.database.url)
    this.#configured = (context.config.server.encryption_key ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [deriveKey(text)]))
    this.#keys = this.#configured
  }

  /** Whether the key is a setting. */
  get isConfigured(): boolean {
    return this.#configured.length > 0
  }

  /** Whether the key is in the database that it protects. */
  get isKeyInDatabase(): boolean {
    return !this.isConfigured && this.#store.isInDatabase
  }

  get current(): Key {
    return this.#keys[0] as Key
  }

  /** Ensures that a key exists. Must not be called within a command, because it may write. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    await this.load(this.#context.reads)
    if (this.#keys.length > 0) return
    // The key is lost. A new one would hide that.
    const lost = await readKeyInUse(this.#context.reads)
    if (lost) throw secretsUnreadable(lost)
    await this.#store.add(this.#context, [], encodeKey(this.#context.random.bytes(keyLengthBytes)))
    // Another replica may have stored a key first; all replicas use the stored one.
    await this.load(this.#context.reads)
  }

  /** Reloads the keys. */
  async load(db: Db): Promise<void> {
    const kept = (await this.#store.read(db)).map(deriveKey)
    this.#keys = [...this.#configured, ...kept]
  }

  /** Makes a key the current one. A configured key is already current. */
  async activate(text: string): Promise<Key> {
    const key = deriveKey(text)
    if (key.id === this.#keys[0]?.id) return key
    if (this.isConfigured) throw new Error('The key comes from the setting server.encryption_key. Put the new key there, before the old one.')
    await this.#store.add(this.#context, await this.#store.read(this.#context.reads), text.trim())
    await this.load(this.#context.reads)
    if (key.id !== this.current.id) throw new Error('Another key was activated at the same time. Try again.')
    return key
  }

  /** Requires `open`. */
  encrypt(id: string, plain: string): EncryptedText {
    const key = this.current
    return { data: encrypt(plain, { key, context: id }, this.#context.random.bytes), key_id: key.id }
  }

  /** Decrypts rows. Reloads the keys if one is unknown, because another replica may have added it. */
  async decrypt(db: Db, rows: readonly (EncryptedText & { readonly id: string })[]): Promise<string[]> {
    if (rows.some((row) => !this.#find(row))) await this.load(db)
    return rows.map((row) => {
      const key = this.#find(row)
      if (!key) throw secretsUnreadable(row.key_id)
      return decrypt(row.data, { key, context: row.id })
    })
  }

  #find({ key_id }: EncryptedText): Key | undefined {
    return this.#keys.find(({ id }) => id === key_id)
  }
}

export const keyringOf = perServer((context) => new Keyring(actAs(context, serviceActor('encryption-key'))))
