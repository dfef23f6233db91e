import { errorCode } from '../../core/storage/database.ts'

const FOREIGN_KEY_VIOLATION = '23503'

/** For `catch`: throws this error instead of a violated foreign key. What the row belongs to was removed a moment ago. */
export const refuseRemoved =
  (refusal: () => Error) =>
  (error: unknown): never => {
    throw errorCode(error) === FOREIGN_KEY_VIOLATION ? refusal() : error
  }
