#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Mail::DKIM as a peer, without DNS.
#   maildkim.pl verify ZONE < message     a line a signature: result, s, d, why
#   maildkim.pl sign KEY DOMAIN SELECTOR CANON < message   the message, signed
# ZONE has a line a record: name, TAB, text.
use strict;
use warnings;
use Mail::DKIM::DNS;
use Mail::DKIM::PrivateKey;
use Mail::DKIM::Signer;
use Mail::DKIM::Verifier;
use Net::DNS;

my %zone;

{
    no warnings 'redefine';
    *Mail::DKIM::DNS::query = sub {
        my ( $name, $type ) = @_;
        my $text = $zone{ lc $name };
        $@ = defined $text ? 'NOERROR' : 'NXDOMAIN';
        return if !defined $text;
        my @cuts = unpack '(a255)*', $text;
        return Net::DNS::RR->new(
            name => $name, type => 'TXT', txtdata => [@cuts] );
    };
}

sub message {
    binmode STDIN;
    local $/;
    return scalar <STDIN>;
}

sub verify {
    my ($file) = @_;
    open my $fh, '<', $file or die "$file: $!\n";
    while ( my $line = <$fh> ) {
        chomp $line;
        my ( $name, $text ) = split /\t/, $line, 2;
        $zone{ lc $name } = $text;
    }
    my $dkim = Mail::DKIM::Verifier->new;
    $dkim->PRINT( message() );
    $dkim->CLOSE;
    for my $sig ( $dkim->signatures ) {
        print join( "\t", $sig->result, $sig->selector // '-',
            $sig->domain // '-', $sig->result_detail // '-' ), "\n";
    }
    print $dkim->result, "\n" if !$dkim->signatures;
    return;
}

sub sign {
    my ( $key, $domain, $selector, $canon ) = @_;
    my $dkim = Mail::DKIM::Signer->new(
        Algorithm => 'rsa-sha256',
        Method    => $canon,
        Domain    => $domain,
        Selector  => $selector,
        KeyFile   => $key,
    );
    my $message = message();
    $dkim->PRINT($message);
    $dkim->CLOSE;
    binmode STDOUT;
    my $field = $dkim->signature->as_string;
    $field =~ s/\r?\n/\r\n/g;
    print $field, "\r\n", $message;
    return;
}

my $verb = shift @ARGV // '';
$verb eq 'verify' ? verify(@ARGV)
  : $verb eq 'sign' ? sign(@ARGV)
  : die "usage: maildkim.pl verify ZONE | sign KEY DOMAIN SELECTOR CANON\n";
