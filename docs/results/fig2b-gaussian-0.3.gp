# Run in this folder: gnuplot fig2b-gaussian-0.3.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1400,460 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2b-gaussian-0.3.svg'
set multiplot layout 1,4 title "Couplings beside learned maps, L = q = 20, M = 3000\nfactored: SGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts\nencoders: d = 20, SGD on masked tokens, batch 100, rate 0.1, momentum 0" font ',12'
unset grid
set border 15
set size ratio 1
set xrange [-0.5:19.5]
set yrange [19.5:-0.5]
set xtics 5 font ',10'
set ytics 5 font ',10'
set cbtics font ',10'
set xlabel 'site j' offset 0,0.7 font ',11'
set ylabel 'site i' offset 1.5,0 font ',11'
unset key
set title "gaussian, distance 0.3:\nbeta J_{ij}" font ',11'
set cbrange [-3.684:3.684]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'coupling_gaussian' with image
set title "factored attention, A_{ij}\nr = 0.911 with J, 0.801 with |J|" font ',11'
set cbrange [-3.684:3.684]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'factored_gaussian' with image
set title "encoder, 1 block, attention\nr = 0.095 with J, 0.043 with |J|" font ',11'
set cbrange [0:0.3312]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'encoder1_gaussian' with image
set title "encoder, 3 blocks, attention\nr = -0.001 with J, 0.017 with |J|" font ',11'
set cbrange [0:0.3547]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'encoder3_gaussian' with image
unset multiplot
unset output
unset multiplot
set terminal pngcairo size 1400,460 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2b-gaussian-0.3.png'
set multiplot layout 1,4 title "Couplings beside learned maps, L = q = 20, M = 3000\nfactored: SGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts\nencoders: d = 20, SGD on masked tokens, batch 100, rate 0.1, momentum 0" font ',12'
unset grid
set border 15
set size ratio 1
set xrange [-0.5:19.5]
set yrange [19.5:-0.5]
set xtics 5 font ',10'
set ytics 5 font ',10'
set cbtics font ',10'
set xlabel 'site j' offset 0,0.7 font ',11'
set ylabel 'site i' offset 1.5,0 font ',11'
unset key
set title "gaussian, distance 0.3:\nbeta J_{ij}" font ',11'
set cbrange [-3.684:3.684]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'coupling_gaussian' with image
set title "factored attention, A_{ij}\nr = 0.911 with J, 0.801 with |J|" font ',11'
set cbrange [-3.684:3.684]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'factored_gaussian' with image
set title "encoder, 1 block, attention\nr = 0.095 with J, 0.043 with |J|" font ',11'
set cbrange [0:0.3312]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'encoder1_gaussian' with image
set title "encoder, 3 blocks, attention\nr = -0.001 with J, 0.017 with |J|" font ',11'
set cbrange [0:0.3547]
plot 'fig2b-gaussian-0.3.csv' using 'j':'i':'encoder3_gaussian' with image
unset multiplot
unset output
