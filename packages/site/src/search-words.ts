/** Words that people search for and that the page itself does not use, by the path of the page in the site. */
export const searchWords: Readonly<Record<string, string>> = {
  'start.md': 'install, installation, getting started, quick start, tutorial',
  'deployment.md': 'install, installation, set up, docker',
  'config.md': 'change the port, environment variables, configuration, options',
  'security.md': 'set a password, login, authentication, TLS, https',
  'scaling.md': 'use PostgreSQL, several servers, replicas',
  'guides/schedule-a-flow.md': 'cron timezone, time zone, interval',
  'guides/secrets-and-settings.md': 'secrets, credentials, tokens, passwords',
  'guides/retention.md': 'delete old runs, clean up, disk space',
  'coming-from-prefect.md': 'migrate from Prefect, migration, switch',
  'adopt.md': 'migrate from Prefect, migration, switch',
}
