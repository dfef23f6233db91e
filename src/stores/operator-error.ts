/** Something the operator can put right; the message is all they need. */
export class OperatorError extends Error {}
