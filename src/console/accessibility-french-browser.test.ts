import { testEveryPage } from '../../tests/support/console-walk.ts'

testEveryPage('fr')
