// Generated from the folders beside it and proto/people/languages.ts: npm run generate.
import type { Language } from '@gatehouse/proto/people/languages'
import { texts as accountAr } from './account/ar.ts'
import { texts as accountDe } from './account/de.ts'
import { texts as accountEn } from './account/en.ts'
import { texts as accountEs } from './account/es.ts'
import { texts as accountFr } from './account/fr.ts'
import { texts as accountJa } from './account/ja.ts'
import { texts as accountPt } from './account/pt.ts'
import { texts as accountZhHans } from './account/zh-hans.ts'
import { texts as addressAr } from './address/ar.ts'
import { texts as addressDe } from './address/de.ts'
import { texts as addressEn } from './address/en.ts'
import { texts as addressEs } from './address/es.ts'
import { texts as addressFr } from './address/fr.ts'
import { texts as addressJa } from './address/ja.ts'
import { texts as addressPt } from './address/pt.ts'
import { texts as addressZhHans } from './address/zh-hans.ts'
import { texts as connectionMappingAr } from './connection-mapping/ar.ts'
import { texts as connectionMappingDe } from './connection-mapping/de.ts'
import { texts as connectionMappingEn } from './connection-mapping/en.ts'
import { texts as connectionMappingEs } from './connection-mapping/es.ts'
import { texts as connectionMappingFr } from './connection-mapping/fr.ts'
import { texts as connectionMappingJa } from './connection-mapping/ja.ts'
import { texts as connectionMappingPt } from './connection-mapping/pt.ts'
import { texts as connectionMappingZhHans } from './connection-mapping/zh-hans.ts'
import { texts as connectionsAr } from './connections/ar.ts'
import { texts as connectionsDe } from './connections/de.ts'
import { texts as connectionsEn } from './connections/en.ts'
import { texts as connectionsEs } from './connections/es.ts'
import { texts as connectionsFr } from './connections/fr.ts'
import { texts as connectionsJa } from './connections/ja.ts'
import { texts as connectionsPt } from './connections/pt.ts'
import { texts as connectionsZhHans } from './connections/zh-hans.ts'
import { texts as consentAr } from './consent/ar.ts'
import { texts as consentDe } from './consent/de.ts'
import { texts as consentEn } from './consent/en.ts'
import { texts as consentEs } from './consent/es.ts'
import { texts as consentFr } from './consent/fr.ts'
import { texts as consentJa } from './consent/ja.ts'
import { texts as consentPt } from './consent/pt.ts'
import { texts as consentZhHans } from './consent/zh-hans.ts'
import { texts as detailsAr } from './details/ar.ts'
import { texts as detailsDe } from './details/de.ts'
import { texts as detailsEn } from './details/en.ts'
import { texts as detailsEs } from './details/es.ts'
import { texts as detailsFr } from './details/fr.ts'
import { texts as detailsJa } from './details/ja.ts'
import { texts as detailsPt } from './details/pt.ts'
import { texts as detailsZhHans } from './details/zh-hans.ts'
import { texts as enrolmentAr } from './enrolment/ar.ts'
import { texts as enrolmentDe } from './enrolment/de.ts'
import { texts as enrolmentEn } from './enrolment/en.ts'
import { texts as enrolmentEs } from './enrolment/es.ts'
import { texts as enrolmentFr } from './enrolment/fr.ts'
import { texts as enrolmentJa } from './enrolment/ja.ts'
import { texts as enrolmentPt } from './enrolment/pt.ts'
import { texts as enrolmentZhHans } from './enrolment/zh-hans.ts'
import { texts as errorAr } from './error/ar.ts'
import { texts as errorDe } from './error/de.ts'
import { texts as errorEn } from './error/en.ts'
import { texts as errorEs } from './error/es.ts'
import { texts as errorFr } from './error/fr.ts'
import { texts as errorJa } from './error/ja.ts'
import { texts as errorPt } from './error/pt.ts'
import { texts as errorZhHans } from './error/zh-hans.ts'
import { texts as factorsAr } from './factors/ar.ts'
import { texts as factorsDe } from './factors/de.ts'
import { texts as factorsEn } from './factors/en.ts'
import { texts as factorsEs } from './factors/es.ts'
import { texts as factorsFr } from './factors/fr.ts'
import { texts as factorsJa } from './factors/ja.ts'
import { texts as factorsPt } from './factors/pt.ts'
import { texts as factorsZhHans } from './factors/zh-hans.ts'
import { texts as layoutAr } from './layout/ar.ts'
import { texts as layoutDe } from './layout/de.ts'
import { texts as layoutEn } from './layout/en.ts'
import { texts as layoutEs } from './layout/es.ts'
import { texts as layoutFr } from './layout/fr.ts'
import { texts as layoutJa } from './layout/ja.ts'
import { texts as layoutPt } from './layout/pt.ts'
import { texts as layoutZhHans } from './layout/zh-hans.ts'
import { texts as loginAr } from './login/ar.ts'
import { texts as loginDe } from './login/de.ts'
import { texts as loginEn } from './login/en.ts'
import { texts as loginEs } from './login/es.ts'
import { texts as loginFr } from './login/fr.ts'
import { texts as loginJa } from './login/ja.ts'
import { texts as loginPt } from './login/pt.ts'
import { texts as loginZhHans } from './login/zh-hans.ts'
import { texts as loginTestAr } from './login-test/ar.ts'
import { texts as loginTestDe } from './login-test/de.ts'
import { texts as loginTestEn } from './login-test/en.ts'
import { texts as loginTestEs } from './login-test/es.ts'
import { texts as loginTestFr } from './login-test/fr.ts'
import { texts as loginTestJa } from './login-test/ja.ts'
import { texts as loginTestPt } from './login-test/pt.ts'
import { texts as loginTestZhHans } from './login-test/zh-hans.ts'
import { texts as loginsAr } from './logins/ar.ts'
import { texts as loginsDe } from './logins/de.ts'
import { texts as loginsEn } from './logins/en.ts'
import { texts as loginsEs } from './logins/es.ts'
import { texts as loginsFr } from './logins/fr.ts'
import { texts as loginsJa } from './logins/ja.ts'
import { texts as loginsPt } from './logins/pt.ts'
import { texts as loginsZhHans } from './logins/zh-hans.ts'
import { texts as logoutAr } from './logout/ar.ts'
import { texts as logoutDe } from './logout/de.ts'
import { texts as logoutEn } from './logout/en.ts'
import { texts as logoutEs } from './logout/es.ts'
import { texts as logoutFr } from './logout/fr.ts'
import { texts as logoutJa } from './logout/ja.ts'
import { texts as logoutPt } from './logout/pt.ts'
import { texts as logoutZhHans } from './logout/zh-hans.ts'
import { texts as mailAr } from './mail/ar.ts'
import { texts as mailDe } from './mail/de.ts'
import { texts as mailEn } from './mail/en.ts'
import { texts as mailEs } from './mail/es.ts'
import { texts as mailFr } from './mail/fr.ts'
import { texts as mailJa } from './mail/ja.ts'
import { texts as mailPt } from './mail/pt.ts'
import { texts as mailZhHans } from './mail/zh-hans.ts'
import { texts as organizationChoiceAr } from './organization-choice/ar.ts'
import { texts as organizationChoiceDe } from './organization-choice/de.ts'
import { texts as organizationChoiceEn } from './organization-choice/en.ts'
import { texts as organizationChoiceEs } from './organization-choice/es.ts'
import { texts as organizationChoiceFr } from './organization-choice/fr.ts'
import { texts as organizationChoiceJa } from './organization-choice/ja.ts'
import { texts as organizationChoicePt } from './organization-choice/pt.ts'
import { texts as organizationChoiceZhHans } from './organization-choice/zh-hans.ts'
import { texts as organizationConnectionsAr } from './organization-connections/ar.ts'
import { texts as organizationConnectionsDe } from './organization-connections/de.ts'
import { texts as organizationConnectionsEn } from './organization-connections/en.ts'
import { texts as organizationConnectionsEs } from './organization-connections/es.ts'
import { texts as organizationConnectionsFr } from './organization-connections/fr.ts'
import { texts as organizationConnectionsJa } from './organization-connections/ja.ts'
import { texts as organizationConnectionsPt } from './organization-connections/pt.ts'
import { texts as organizationConnectionsZhHans } from './organization-connections/zh-hans.ts'
import { texts as organizationDomainsAr } from './organization-domains/ar.ts'
import { texts as organizationDomainsDe } from './organization-domains/de.ts'
import { texts as organizationDomainsEn } from './organization-domains/en.ts'
import { texts as organizationDomainsEs } from './organization-domains/es.ts'
import { texts as organizationDomainsFr } from './organization-domains/fr.ts'
import { texts as organizationDomainsJa } from './organization-domains/ja.ts'
import { texts as organizationDomainsPt } from './organization-domains/pt.ts'
import { texts as organizationDomainsZhHans } from './organization-domains/zh-hans.ts'
import { texts as organizationJoiningAr } from './organization-joining/ar.ts'
import { texts as organizationJoiningDe } from './organization-joining/de.ts'
import { texts as organizationJoiningEn } from './organization-joining/en.ts'
import { texts as organizationJoiningEs } from './organization-joining/es.ts'
import { texts as organizationJoiningFr } from './organization-joining/fr.ts'
import { texts as organizationJoiningJa } from './organization-joining/ja.ts'
import { texts as organizationJoiningPt } from './organization-joining/pt.ts'
import { texts as organizationJoiningZhHans } from './organization-joining/zh-hans.ts'
import { texts as organizationMemberAr } from './organization-member/ar.ts'
import { texts as organizationMemberDe } from './organization-member/de.ts'
import { texts as organizationMemberEn } from './organization-member/en.ts'
import { texts as organizationMemberEs } from './organization-member/es.ts'
import { texts as organizationMemberFr } from './organization-member/fr.ts'
import { texts as organizationMemberJa } from './organization-member/ja.ts'
import { texts as organizationMemberPt } from './organization-member/pt.ts'
import { texts as organizationMemberZhHans } from './organization-member/zh-hans.ts'
import { texts as organizationsAr } from './organizations/ar.ts'
import { texts as organizationsDe } from './organizations/de.ts'
import { texts as organizationsEn } from './organizations/en.ts'
import { texts as organizationsEs } from './organizations/es.ts'
import { texts as organizationsFr } from './organizations/fr.ts'
import { texts as organizationsJa } from './organizations/ja.ts'
import { texts as organizationsPt } from './organizations/pt.ts'
import { texts as organizationsZhHans } from './organizations/zh-hans.ts'
import { texts as ownAccountAr } from './own-account/ar.ts'
import { texts as ownAccountDe } from './own-account/de.ts'
import { texts as ownAccountEn } from './own-account/en.ts'
import { texts as ownAccountEs } from './own-account/es.ts'
import { texts as ownAccountFr } from './own-account/fr.ts'
import { texts as ownAccountJa } from './own-account/ja.ts'
import { texts as ownAccountPt } from './own-account/pt.ts'
import { texts as ownAccountZhHans } from './own-account/zh-hans.ts'
import { texts as passkeyAr } from './passkey/ar.ts'
import { texts as passkeyDe } from './passkey/de.ts'
import { texts as passkeyEn } from './passkey/en.ts'
import { texts as passkeyEs } from './passkey/es.ts'
import { texts as passkeyFr } from './passkey/fr.ts'
import { texts as passkeyJa } from './passkey/ja.ts'
import { texts as passkeyPt } from './passkey/pt.ts'
import { texts as passkeyZhHans } from './passkey/zh-hans.ts'
import { texts as passwordAr } from './password/ar.ts'
import { texts as passwordDe } from './password/de.ts'
import { texts as passwordEn } from './password/en.ts'
import { texts as passwordEs } from './password/es.ts'
import { texts as passwordFr } from './password/fr.ts'
import { texts as passwordJa } from './password/ja.ts'
import { texts as passwordPt } from './password/pt.ts'
import { texts as passwordZhHans } from './password/zh-hans.ts'
import { texts as passwordResetAr } from './password-reset/ar.ts'
import { texts as passwordResetDe } from './password-reset/de.ts'
import { texts as passwordResetEn } from './password-reset/en.ts'
import { texts as passwordResetEs } from './password-reset/es.ts'
import { texts as passwordResetFr } from './password-reset/fr.ts'
import { texts as passwordResetJa } from './password-reset/ja.ts'
import { texts as passwordResetPt } from './password-reset/pt.ts'
import { texts as passwordResetZhHans } from './password-reset/zh-hans.ts'
import { texts as secondFactorAr } from './second-factor/ar.ts'
import { texts as secondFactorDe } from './second-factor/de.ts'
import { texts as secondFactorEn } from './second-factor/en.ts'
import { texts as secondFactorEs } from './second-factor/es.ts'
import { texts as secondFactorFr } from './second-factor/fr.ts'
import { texts as secondFactorJa } from './second-factor/ja.ts'
import { texts as secondFactorPt } from './second-factor/pt.ts'
import { texts as secondFactorZhHans } from './second-factor/zh-hans.ts'
import { texts as signUpAr } from './sign-up/ar.ts'
import { texts as signUpDe } from './sign-up/de.ts'
import { texts as signUpEn } from './sign-up/en.ts'
import { texts as signUpEs } from './sign-up/es.ts'
import { texts as signUpFr } from './sign-up/fr.ts'
import { texts as signUpJa } from './sign-up/ja.ts'
import { texts as signUpPt } from './sign-up/pt.ts'
import { texts as signUpZhHans } from './sign-up/zh-hans.ts'
import { texts as socialAr } from './social/ar.ts'
import { texts as socialDe } from './social/de.ts'
import { texts as socialEn } from './social/en.ts'
import { texts as socialEs } from './social/es.ts'
import { texts as socialFr } from './social/fr.ts'
import { texts as socialJa } from './social/ja.ts'
import { texts as socialPt } from './social/pt.ts'
import { texts as socialZhHans } from './social/zh-hans.ts'
import { texts as startAr } from './start/ar.ts'
import { texts as startDe } from './start/de.ts'
import { texts as startEn } from './start/en.ts'
import { texts as startEs } from './start/es.ts'
import { texts as startFr } from './start/fr.ts'
import { texts as startJa } from './start/ja.ts'
import { texts as startPt } from './start/pt.ts'
import { texts as startZhHans } from './start/zh-hans.ts'

const en = {
  account: accountEn,
  address: addressEn,
  connectionMapping: connectionMappingEn,
  connections: connectionsEn,
  consent: consentEn,
  details: detailsEn,
  enrolment: enrolmentEn,
  error: errorEn,
  factors: factorsEn,
  layout: layoutEn,
  login: loginEn,
  loginTest: loginTestEn,
  logins: loginsEn,
  logout: logoutEn,
  mail: mailEn,
  organizationChoice: organizationChoiceEn,
  organizationConnections: organizationConnectionsEn,
  organizationDomains: organizationDomainsEn,
  organizationJoining: organizationJoiningEn,
  organizationMember: organizationMemberEn,
  organizations: organizationsEn,
  ownAccount: ownAccountEn,
  passkey: passkeyEn,
  password: passwordEn,
  passwordReset: passwordResetEn,
  secondFactor: secondFactorEn,
  signUp: signUpEn,
  social: socialEn,
  start: startEn,
}

/** The texts of the pages for people, in one language. */
export type Texts = typeof en

const table: Readonly<Record<Language, Texts>> = {
  en,
  de: {
    account: accountDe,
    address: addressDe,
    connectionMapping: connectionMappingDe,
    connections: connectionsDe,
    consent: consentDe,
    details: detailsDe,
    enrolment: enrolmentDe,
    error: errorDe,
    factors: factorsDe,
    layout: layoutDe,
    login: loginDe,
    loginTest: loginTestDe,
    logins: loginsDe,
    logout: logoutDe,
    mail: mailDe,
    organizationChoice: organizationChoiceDe,
    organizationConnections: organizationConnectionsDe,
    organizationDomains: organizationDomainsDe,
    organizationJoining: organizationJoiningDe,
    organizationMember: organizationMemberDe,
    organizations: organizationsDe,
    ownAccount: ownAccountDe,
    passkey: passkeyDe,
    password: passwordDe,
    passwordReset: passwordResetDe,
    secondFactor: secondFactorDe,
    signUp: signUpDe,
    social: socialDe,
    start: startDe,
  },
  fr: {
    account: accountFr,
    address: addressFr,
    connectionMapping: connectionMappingFr,
    connections: connectionsFr,
    consent: consentFr,
    details: detailsFr,
    enrolment: enrolmentFr,
    error: errorFr,
    factors: factorsFr,
    layout: layoutFr,
    login: loginFr,
    loginTest: loginTestFr,
    logins: loginsFr,
    logout: logoutFr,
    mail: mailFr,
    organizationChoice: organizationChoiceFr,
    organizationConnections: organizationConnectionsFr,
    organizationDomains: organizationDomainsFr,
    organizationJoining: organizationJoiningFr,
    organizationMember: organizationMemberFr,
    organizations: organizationsFr,
    ownAccount: ownAccountFr,
    passkey: passkeyFr,
    password: passwordFr,
    passwordReset: passwordResetFr,
    secondFactor: secondFactorFr,
    signUp: signUpFr,
    social: socialFr,
    start: startFr,
  },
  es: {
    account: accountEs,
    address: addressEs,
    connectionMapping: connectionMappingEs,
    connections: connectionsEs,
    consent: consentEs,
    details: detailsEs,
    enrolment: enrolmentEs,
    error: errorEs,
    factors: factorsEs,
    layout: layoutEs,
    login: loginEs,
    loginTest: loginTestEs,
    logins: loginsEs,
    logout: logoutEs,
    mail: mailEs,
    organizationChoice: organizationChoiceEs,
    organizationConnections: organizationConnectionsEs,
    organizationDomains: organizationDomainsEs,
    organizationJoining: organizationJoiningEs,
    organizationMember: organizationMemberEs,
    organizations: organizationsEs,
    ownAccount: ownAccountEs,
    passkey: passkeyEs,
    password: passwordEs,
    passwordReset: passwordResetEs,
    secondFactor: secondFactorEs,
    signUp: signUpEs,
    social: socialEs,
    start: startEs,
  },
  pt: {
    account: accountPt,
    address: addressPt,
    connectionMapping: connectionMappingPt,
    connections: connectionsPt,
    consent: consentPt,
    details: detailsPt,
    enrolment: enrolmentPt,
    error: errorPt,
    factors: factorsPt,
    layout: layoutPt,
    login: loginPt,
    loginTest: loginTestPt,
    logins: loginsPt,
    logout: logoutPt,
    mail: mailPt,
    organizationChoice: organizationChoicePt,
    organizationConnections: organizationConnectionsPt,
    organizationDomains: organizationDomainsPt,
    organizationJoining: organizationJoiningPt,
    organizationMember: organizationMemberPt,
    organizations: organizationsPt,
    ownAccount: ownAccountPt,
    passkey: passkeyPt,
    password: passwordPt,
    passwordReset: passwordResetPt,
    secondFactor: secondFactorPt,
    signUp: signUpPt,
    social: socialPt,
    start: startPt,
  },
  ja: {
    account: accountJa,
    address: addressJa,
    connectionMapping: connectionMappingJa,
    connections: connectionsJa,
    consent: consentJa,
    details: detailsJa,
    enrolment: enrolmentJa,
    error: errorJa,
    factors: factorsJa,
    layout: layoutJa,
    login: loginJa,
    loginTest: loginTestJa,
    logins: loginsJa,
    logout: logoutJa,
    mail: mailJa,
    organizationChoice: organizationChoiceJa,
    organizationConnections: organizationConnectionsJa,
    organizationDomains: organizationDomainsJa,
    organizationJoining: organizationJoiningJa,
    organizationMember: organizationMemberJa,
    organizations: organizationsJa,
    ownAccount: ownAccountJa,
    passkey: passkeyJa,
    password: passwordJa,
    passwordReset: passwordResetJa,
    secondFactor: secondFactorJa,
    signUp: signUpJa,
    social: socialJa,
    start: startJa,
  },
  'zh-Hans': {
    account: accountZhHans,
    address: addressZhHans,
    connectionMapping: connectionMappingZhHans,
    connections: connectionsZhHans,
    consent: consentZhHans,
    details: detailsZhHans,
    enrolment: enrolmentZhHans,
    error: errorZhHans,
    factors: factorsZhHans,
    layout: layoutZhHans,
    login: loginZhHans,
    loginTest: loginTestZhHans,
    logins: loginsZhHans,
    logout: logoutZhHans,
    mail: mailZhHans,
    organizationChoice: organizationChoiceZhHans,
    organizationConnections: organizationConnectionsZhHans,
    organizationDomains: organizationDomainsZhHans,
    organizationJoining: organizationJoiningZhHans,
    organizationMember: organizationMemberZhHans,
    organizations: organizationsZhHans,
    ownAccount: ownAccountZhHans,
    passkey: passkeyZhHans,
    password: passwordZhHans,
    passwordReset: passwordResetZhHans,
    secondFactor: secondFactorZhHans,
    signUp: signUpZhHans,
    social: socialZhHans,
    start: startZhHans,
  },
  ar: {
    account: accountAr,
    address: addressAr,
    connectionMapping: connectionMappingAr,
    connections: connectionsAr,
    consent: consentAr,
    details: detailsAr,
    enrolment: enrolmentAr,
    error: errorAr,
    factors: factorsAr,
    layout: layoutAr,
    login: loginAr,
    loginTest: loginTestAr,
    logins: loginsAr,
    logout: logoutAr,
    mail: mailAr,
    organizationChoice: organizationChoiceAr,
    organizationConnections: organizationConnectionsAr,
    organizationDomains: organizationDomainsAr,
    organizationJoining: organizationJoiningAr,
    organizationMember: organizationMemberAr,
    organizations: organizationsAr,
    ownAccount: ownAccountAr,
    passkey: passkeyAr,
    password: passwordAr,
    passwordReset: passwordResetAr,
    secondFactor: secondFactorAr,
    signUp: signUpAr,
    social: socialAr,
    start: startAr,
  },
}

/** The texts of the pages for people in a language. */
export function textsIn(language: Language): Texts {
  return table[language]
}
