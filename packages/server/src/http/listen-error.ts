import { errorCode, StartupError } from '../lib/startup-error.ts'

/** What is wrong with an address that cannot be listened on. Undefined for an error that is not about the address. */
export function explainListenError(error: unknown, host: string, port: number): StartupError | undefined {
  const cannot = (message: string) => new StartupError('cannotListen', message, error)
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return cannot(`Port ${port} on ${host} is in use by another program. Stop that program, or choose another port with --port.`)
    case 'EADDRNOTAVAIL':
      return cannot(`This machine has no address ${host}. Choose one that it has with --host, such as 127.0.0.1.`)
    case 'EACCES':
    case 'EPERM':
      return cannot(`This user may not listen on port ${port}. Choose a port above 1023 with --port.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EINVAL':
      return cannot(`The host ${host} has no address (${errorCode(error)}). Correct --host; 127.0.0.1 is this machine alone.`)
    default:
      return undefined
  }
}

/** `http://[::1]:4200` */
export const addressText = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
