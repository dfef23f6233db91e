import pg from 'pg'
import { errorCode } from './database.ts'
import { ClusterClient } from './hosts.ts'

/** An error in the database's configuration, with a suggested fix. */
export class DatabaseFault extends Error {
  override name = 'DatabaseFault'
  readonly fix: string
  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options)
    this.fix = fix
  }
}

const quoted = (name: string | undefined) => pg.escapeIdentifier(name ?? '')

export const missingRights = (user: string | undefined, database: string | undefined, cause?: Error) =>
  new DatabaseFault(
    `The user ${user} lacks privileges in the database ${database}${cause ? `: ${cause.message}` : ''}.`,
    `Make it the owner, as a superuser: alter database ${quoted(database)} owner to ${quoted(user)};`,
    { cause },
  )

/** Translates errors that an operator can fix; returns others unchanged. */
export const explainDatabaseError = (error: unknown, connection: pg.ClientConfig): unknown => {
  if (!(error instanceof Error)) return error
  const { user, database, host, port } = new ClusterClient(connection)
  const server = host.startsWith('/') ? host : `${host}:${port}`
  switch (errorCode(error)) {
    case '3D000':
      return new DatabaseFault(
        `There is no database ${database} on the PostgreSQL at ${server}.`,
        `Create it: create database ${quoted(database)} owner ${quoted(user)} encoding 'UTF8' template template0;`,
        { cause: error },
      )
    case '28P01':
    case '28000':
      return new DatabaseFault(
        `The PostgreSQL at ${server} refuses the user ${user}: ${error.message}.`,
        'Correct the user and password in DATABASE_URL, or allow this user in pg_hba.conf.',
        { cause: error },
      )
    case '42501':
      return missingRights(user, database, error)
    case '25006':
      return new DatabaseFault(
        `The PostgreSQL at ${server} is read-only: ${error.message}.`,
        'Name the primary in DATABASE_URL, or all hosts: postgresql://user:password@one:5432,two:5432/name',
        { cause: error },
      )
    default:
      return error
  }
}
