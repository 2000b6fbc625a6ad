import type { IncomingMessage } from 'node:http'
import { unauthorized } from '../errors.ts'
import { type Actor, anonymous } from '../lib/actor.ts'
import type { Scope } from '../lib/route.ts'
import type { PasswordGuard } from './password-guard.ts'

/** Finds out who calls, by the scope of a route or socket and not by its path. A public one needs no credentials, and without a guard none does. */
export class Authentication {
  readonly #guard: PasswordGuard | undefined
  readonly #user: Actor

  /** The password is a user and a password, separated by a colon. */
  constructor(guard: PasswordGuard | undefined, password: string | null) {
    this.#guard = guard
    this.#user = { kind: 'user', id: null, name: password?.includes(':') ? password.slice(0, password.indexOf(':')) : 'user' }
  }

  requiresCredentials(scope: Scope): boolean {
    return this.#guard !== undefined && scope !== 'public'
  }

  /** Who sends a request. Throws without the credentials that the scope requires. */
  ofRequest(request: IncomingMessage, scope: Scope): Actor {
    if (!this.requiresCredentials(scope)) return anonymous
    const [scheme = '', encoded = ''] = (request.headers.authorization ?? '').split(' ')
    // A request without a password is not a guess: the dashboard asks for one after its first 401.
    if (scheme.toLowerCase() !== 'basic' || encoded === '') throw unauthorized()
    return this.#check(request, Buffer.from(encoded, 'base64').toString('utf8'))
  }

  /** Who opens a WebSocket and sends this token. Throws if it is not what the scope requires. */
  ofToken(request: IncomingMessage, scope: Scope, token: string): Actor {
    return this.requiresCredentials(scope) ? this.#check(request, token) : anonymous
  }

  #check(request: IncomingMessage, given: string): Actor {
    this.#guard?.check(request, given)
    return this.#user
  }
}
