import { secretsUnreadable } from '../../errors.ts'
import { decrypt, deriveKey, encodeKey, encrypt, type Key, keyLengthBytes } from '../../lib/encryption.ts'
import type { Db } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { readKeyInUse } from './document-store.ts'
import { type KeyStore, selectKeyStore } from './key-store.ts'

/** Something encrypted, and the key it was encrypted with. */
export interface EncryptedText {
  readonly data: string
  readonly key_id: string
}

/**
 * The keys of this server, the one in use first. They come from the setting `server.encryption_key` (several keys are separated by commas:
 * the first encrypts, the others only decrypt, so that replicas can change keys one after the other) and from the place where the server
 * keeps a key of its own making. A key is made when the first secret is to be kept, not before.
 */
export class Keyring {
  readonly #context: ServerContext
  readonly #store: KeyStore
  readonly #configured: readonly Key[]
  #keys: readonly Key[]
  #opening: Promise<void> | undefined

  constructor(context: ServerContext) {
    this.#context = context
    this.#store = selectKeyStore(context.config.database.url)
    this.#configured = (context.config.server.encryption_key ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [deriveKey(text)]))
    this.#keys = this.#configured
  }

  /** Whether the setting says which key to use. */
  get isConfigured(): boolean {
    return this.#configured.length > 0
  }

  /** Whether whoever has the data has the key too. */
  get isKeyInDatabase(): boolean {
    return !this.isConfigured && this.#store.isInDatabase
  }

  get current(): Key {
    return this.#keys[0] as Key
  }

  /** Makes sure that there is a key to encrypt with. Not within a command: it may have to write. */
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
    // The key was there and is lost: a new one would only hide that.
    const lost = await readKeyInUse(this.#context.reads)
    if (lost) throw secretsUnreadable(lost)
    await this.#store.add(this.#context, [], encodeKey(this.#context.random.bytes(keyLengthBytes)))
    // Another replica may have been faster: whatever is there now is the key of all.
    await this.load(this.#context.reads)
  }

  /** Reads again which keys there are. */
  async load(db: Db): Promise<void> {
    const kept = (await this.#store.read(db)).map(deriveKey)
    this.#keys = [...this.#configured, ...kept]
  }

  /** Puts a key before all others; one that was given as a setting stands there already. */
  async activate(text: string): Promise<Key> {
    const key = deriveKey(text)
    if (key.id === this.#keys[0]?.id) return key
    if (this.isConfigured) throw new Error('The key comes from the setting server.encryption_key: put the new key there, before the old one')
    await this.#store.add(this.#context, await this.#store.read(this.#context.reads), text.trim())
    await this.load(this.#context.reads)
    if (key.id !== this.current.id) throw new Error('Another key was put in use at this moment: try again')
    return key
  }

  /** `open` must have been waited for. */
  encrypt(id: string, plain: string): EncryptedText {
    const key = this.current
    return { data: encrypt(plain, { key, context: id }, this.#context.random.bytes), key_id: key.id }
  }

  /** The plain texts of rows. A key that is not known yet may have come with another replica. */
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

export const keyringOf = perServer((context) => new Keyring(context))
