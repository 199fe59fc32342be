export { signIn, type SignedIn, type SignInRequest } from '../../scripts/sign-in.ts'
