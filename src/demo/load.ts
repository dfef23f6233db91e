import type pg from 'pg'
import type { Config } from '../config.ts'

export interface DemoCredentials {
  install_id: string
  client_id: string
  client_secret: string
}

export const loadDemoOnce = async (
  _connection: pg.ClientConfig,
  _config: Config,
): Promise<DemoCredentials | undefined> => undefined
