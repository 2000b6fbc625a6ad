import type { Proof } from './proof.ts'
import { databaseRestarts } from './proofs/database-restarts.ts'
import { killReplicas } from './proofs/kill-replicas.ts'
import { killSqlite } from './proofs/kill-sqlite.ts'

/** All proofs, in the order in which they run. */
export const allProofs: readonly Proof[] = [killSqlite, killReplicas, databaseRestarts]
