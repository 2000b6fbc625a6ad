/** What commands give to `local/` and get from it. `local/` needs the server, so a command imports it when it runs; both import these types. */

export interface BackupFlags {
  readonly database?: string
  readonly file?: string
  readonly dir?: string
  readonly compress?: boolean
  readonly check?: boolean
  readonly keep?: number
  readonly key: boolean
}

export interface RestoreFlags {
  readonly database?: string
  readonly check?: boolean
  readonly yes?: boolean
}

export interface DoctorFlags {
  readonly database?: string
  readonly full?: boolean
  readonly repair?: boolean
  readonly yes?: boolean
}

export interface ShownSetting {
  /** `client.url`, `server.port`. */
  readonly name: string
  readonly variable: string
  /** Secrets are asterisks. */
  readonly value: unknown
  /** `default`, or the variable, flag or profile that sets it. */
  readonly source: string
}

/** `rows` and `oldest` are null where they are not known. */
export interface DatabaseSize {
  readonly database_bytes: number
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number | null; readonly oldest: string | null }[]
}

export interface BackgroundService {
  readonly name: string
  readonly enabled: boolean
  readonly every_seconds: number
}
