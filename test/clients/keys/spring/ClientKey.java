package com.example;

import com.nimbusds.jose.jwk.JWK;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2AccessTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2AuthorizationCodeGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;

@Configuration
class ClientKey {
  /** Redeems the codes of logins with assertions in place of the secret. Each other grant takes such a bean of its own. */
  @Bean
  OAuth2AccessTokenResponseClient<OAuth2AuthorizationCodeGrantRequest> codes(
      @Value("${KEY_FILE:private-key.jwk}") String file,
      @Value("${spring.security.oauth2.client.provider.gatehouse.issuer-uri}") String issuer)
      throws Exception {
    JWK key = JWK.parse(Files.readString(Path.of(file)));
    var assertions = new NimbusJwtClientAuthenticationParametersConverter<OAuth2AuthorizationCodeGrantRequest>(
        (registration) -> key);
    // By default Spring names the token endpoint.
    assertions.setJwtClientAssertionCustomizer((context) -> context.getClaims().audience(List.of(issuer)));
    var client = new RestClientAuthorizationCodeTokenResponseClient();
    client.addParametersConverter(assertions);
    return client;
  }
}
