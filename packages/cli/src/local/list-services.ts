import type { Config } from '@millrace/server/config.ts'
import { allServices } from '@millrace/server/services/all-services.ts'
import { version } from '@millrace/server/version.ts'
import { CommandError } from '../errors.ts'
import type { BackgroundService } from '../local-interface.ts'

/** The background services of a server with these settings. */
export function listServices(settings: Record<string, unknown>, serverVersion: unknown): BackgroundService[] {
  const config = settings as unknown as Config
  try {
    return allServices.map((service) => ({
      name: service.name,
      enabled: config.services.enabled && service.enabled(config),
      every_seconds: service.everySeconds(config),
    }))
  } catch (error) {
    if (serverVersion === version) throw error
    throw new CommandError(`The server has version ${serverVersion}, and this command has version ${version}. Use the same version for both.`)
  }
}
